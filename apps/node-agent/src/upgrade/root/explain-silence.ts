import type { RunCommand } from '../../machine/run-command.js'

const unit = 'roost-agent.service'
const deadlineMs = 10_000
/** Of a line of the agent's log. */
const maxCharacters = 300

/** Returns the state of the agent's unit and the last line of its log. */
export async function explainSilence(run: RunCommand): Promise<string> {
  const state = await run('systemctl', ['show', '-P', 'ActiveState', unit], { deadlineMs })
  const log = await run('journalctl', ['-u', unit, '-n', '1', '-o', 'cat', '--no-pager', '-q'], { deadlineMs })
  const line = log.stdout.trim().split('\n').at(-1)?.slice(0, maxCharacters) ?? ''
  const sentences = [
    state.stdout.trim() === '' ? '' : `Its unit is ${state.stdout.trim()}.`,
    line === '' ? '' : `The last line of its log: ${line}`,
  ]
  return sentences.filter((sentence) => sentence !== '').join(' ')
}
