/** A file in an archive. */
export interface TarEntry {
  /** Relative, at most 100 bytes. */
  readonly path: string
  readonly content: Buffer
}

const blockBytes = 512

/** Packs files as a tar archive (ustar) that only its owner unpacks readable files from. */
export function packTar(entries: readonly TarEntry[], seconds: number): Buffer {
  const blocks = entries.flatMap(({ path, content }) => [
    header(path, content.length, seconds),
    content,
    Buffer.alloc(-content.length & (blockBytes - 1)),
  ])
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)])
}

function header(path: string, bytes: number, seconds: number): Buffer {
  const block = Buffer.alloc(blockBytes)
  if (block.write(path, 0, 100) !== Buffer.byteLength(path)) throw new Error(`The path ${path} is too long.`)
  block.write(octal(0o600, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(bytes, 11), 124)
  block.write(octal(seconds, 11), 136)
  // The checksum is computed with blanks in its field.
  block.write(' '.repeat(8), 148)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)} `, 148)
  return block
}

function octal(value: number, digits: number): string {
  return `${value.toString(8).padStart(digits, '0')}\0`
}
