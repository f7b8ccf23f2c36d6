/** Beyond so many changed lines, the work to tell which stayed would hold the agent up. */
const maxEditLength = 4_000

/** Returns the diff of two texts with three lines of context; empty where they are equal. */
export async function unifiedDiff(path: string, before: string, after: string): Promise<string> {
  if (before === after) return ''
  // Read only when something changes: it stays out of the memory of an agent that watches.
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff')
  const options = { context: 3, maxEditLength, headerOptions: FILE_HEADERS_ONLY }
  const patch =
    before === '' || after === ''
      ? undefined
      : createTwoFilesPatch(`a${path}`, `b${path}`, before, after, undefined, undefined, options)
  return patch ?? fullDiff(path, before, after)
}

/** Returns a diff that removes all lines and adds all lines. */
function fullDiff(path: string, before: string, after: string): string {
  const [old, next] = [linesOf(before), linesOf(after)]
  const body = [...old.map((line) => `-${line}\n`), ...next.map((line) => `+${line}\n`)].join('')
  return `--- a${path}\n+++ b${path}\n@@ -${rangeOf(old)} +${rangeOf(next)} @@\n${body}`
}

function rangeOf(lines: readonly string[]): string {
  return lines.length === 0 ? '0,0' : `1,${lines.length}`
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
