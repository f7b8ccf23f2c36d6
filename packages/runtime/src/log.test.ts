import { expect, it } from 'vitest'
import { createLog, type LogFormat } from './log.js'

function linesOf(format: LogFormat, write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = []
  write(createLog({ format, level: 'info', write: (line) => lines.push(line), now: () => 0 }))
  return lines
}

it('writes a line of JSON an event, with the keys that the control plane uses too', () => {
  const [line = ''] = linesOf('json', (log) => log.warn('Careful.', { error: new Error('why'), count: 3 }))
  expect(line.endsWith('\n')).toBe(true)
  expect(JSON.parse(line)).toEqual({ level: 40, time: 0, name: 'roost-agent', msg: 'Careful.', error: 'why', count: 3 })
})

it('writes a readable line on a terminal', () => {
  const [line] = linesOf('pretty', (log) => log.info('Connected.', { server: 'https://roost', node: 3 }))
  expect(line).toBe('00:00:00.000 INFO  Connected. server=https://roost node=3\n')
})

it('does not let a value begin a line or move the cursor', () => {
  const [line] = linesOf('pretty', (log) => log.info('a\nb\u001B[2J\u202E', { reason: 'c\r\nd', more: ['\u009B'] }))
  expect(line).toBe('00:00:00.000 INFO  a?b?[2J? reason=c??d more=["?"]\n')
})

it('keeps what is below its level to itself', () => {
  expect(linesOf('json', (log) => log.debug('Nothing.'))).toEqual([])
})
