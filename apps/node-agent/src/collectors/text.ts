/** The columns of a line that are set apart by blanks. */
export function columns(line: string): readonly string[] {
  return line.trim().split(/\s+/)
}

/** The lines of a text that hold anything. */
export function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
