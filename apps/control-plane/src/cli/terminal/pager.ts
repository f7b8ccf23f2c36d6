import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Terminal } from './terminal.js'

/** Prints a text. On a terminal with fewer lines it goes through the pager, which ends quietly when its user has seen enough. */
export async function page({ out, style: { pager } }: Pick<Terminal, 'out' | 'style'>, text: string): Promise<void> {
  const lines = text.split('\n').length
  if (!out.isTTY || pager === null || lines <= out.rows) {
    out.write(text)
    return
  }
  // Like git: -F ends where one screen is enough, -R keeps colors, -S cuts long lines, -X leaves the text on the screen.
  const child = spawn('sh', ['-c', `LESS="\${LESS-FRSX}" exec ${pager}`], { stdio: ['pipe', 'inherit', 'inherit'] })
  child.stdin.on('error', () => {})
  child.stdin.end(text)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code === 127) out.write(text)
}
