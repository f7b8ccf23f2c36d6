import { RoostError } from '@roost/api-types/rest'
import { RE2JS } from 're2js'

/** A condition on a label of a series. A label that a series does not have is empty. */
export interface Matcher {
  readonly label: string
  readonly matches: (value: string) => boolean
}

const longest = 1_024

/** Creates a matcher of Prometheus: equal, not equal, regular expression, or not that. Throws `invalid`. */
export function createMatcher(type: number, label: string, text: string): Matcher {
  switch (type) {
    case 0:
      return { label, matches: (value) => value === text }
    case 1:
      return { label, matches: (value) => value !== text }
    case 2:
      return { label, matches: expression(text) }
    case 3: {
      const matches = expression(text)
      return { label, matches: (value) => !matches(value) }
    }
    default:
      throw new RoostError('invalid', `The type ${type} of a matcher is not known.`)
  }
}

/** RE2, as Prometheus has it: its time grows with the text alone, whatever an operator asks for. */
function expression(text: string): (value: string) => boolean {
  if (text.length > longest) throw new RoostError('invalid', `A regular expression has at most ${longest} characters.`)
  try {
    const compiled = RE2JS.compile(text, RE2JS.DOTALL)
    return (value) => compiled.matches(value)
  } catch (error) {
    throw new RoostError('invalid', `The regular expression '${text.slice(0, 80)}' is not valid.`, { cause: error })
  }
}
