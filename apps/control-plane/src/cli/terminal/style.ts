import type { Shell } from '../../config/shell.js'
import type { Style } from './terminal.js'

export const colorChoices = ['auto', 'always', 'never'] as const
export type ColorChoice = (typeof colorChoices)[number]

/** The global options of the output. */
export interface StyleFlags {
  /** False with `--no-color`. */
  readonly color: ColorChoice | false
  /** False with `--no-pager`. */
  readonly pager: boolean
  readonly quiet?: boolean
}

/** Returns how to print on a stream. */
export function styleOf(
  { color, pager, quiet = false }: StyleFlags,
  out: { readonly isTTY?: boolean },
  shell: Shell,
): Omit<Style, 'hasJsonErrors' | 'isDryRun'> {
  const isCapable = out.isTTY === true && shell.term !== undefined && shell.term !== 'dumb'
  return {
    color: color === 'always' || (color === 'auto' && isCapable && !shell.noColor),
    pager: pager && isCapable && shell.pager !== 'cat' ? shell.pager : null,
    quiet,
  }
}
