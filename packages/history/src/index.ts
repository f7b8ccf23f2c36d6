export { columnRange, readHead, type Head } from './head.js'
export { decodeChunk, decodeColumn, splitChunk, type DecodedChunk } from './decode.js'
export { encodeChunk, type Chunk, type Window } from './encode.js'
export { ChunkError, GROUP, HEAD_FIXED, MANTISSAS, MAX_READINGS, MAX_VALUES } from './format.js'
