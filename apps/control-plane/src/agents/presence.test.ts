import { RoostError } from '@roost/api-types/rest'
import { expect, it } from 'vitest'
import { systemClock } from '@roost/runtime'
import { createLog } from '../lifecycle/log.js'
import { Presence } from './presence.js'

it('logs once that it cannot write, however often it fails, and once that it can again', async () => {
  const logged: string[] = []
  const out = { write: (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg) }
  let isAway = true
  const store = {
    listPresent: async () => [],
    updatePresence: async (rows: readonly { readonly nodeId: number }[]) => {
      if (isAway) throw new RoostError('unavailable', 'The database does not answer.')
      return new Set(rows.map(({ nodeId }) => nodeId))
    },
  }
  const presence = new Presence(store, 15_000, systemClock, createLog({ level: 'info', out: out as never }))
  presence.heard(1, systemClock.monotonic(), 15_000)
  for (let i = 0; i < 3; i++) await presence.flush()
  isAway = false
  presence.heard(1, systemClock.monotonic(), 15_000)
  await presence.flush()
  await presence.flush()
  expect(logged).toEqual(['could not save node presence, retrying', 'node presence is saved again'])
})
