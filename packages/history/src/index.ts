export { columnRange, readHead, readingsOf, type Head } from './head.js'
export {
  type ColumnVisitor,
  decodeChunk,
  decodeColumn,
  decodeCutColumn,
  readChunk,
  splitChunk,
  type DecodedChunk,
  type Space,
} from './decode.js'
export { encodeChunk, type Chunk, type Window } from './encode.js'
export { ChunkError, GROUP, HEAD_FIXED, MANTISSAS, MAX_READINGS, MAX_VALUES } from './format.js'
