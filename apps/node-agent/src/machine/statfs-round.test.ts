import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startHelper } from './helper.js'
import { createStatfsRound } from './statfs-round.js'
import type { StatfsRound } from './statfs-round.js'

/** A machine with much to do takes seconds to start a process. */
const patienceMs = 50_000

let dir: string
let round: StatfsRound
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-round-'))
})
afterEach(async () => {
  round.close()
  await rm(dir, { recursive: true })
})

it('gives the same values as stat by itself, for odd paths too', async () => {
  round = createStatfsRound({ start: startHelper, deadlineMs: patienceMs })
  const odd = join(dir, ' a  "b" $HOME \\040 ')
  await writeFile(odd, '')
  const { values, stuck } = await round.ask(['/proc', odd, '/no/such/mount'])
  expect(stuck).toBeUndefined()
  expect([...values.keys()]).toEqual(['/proc', odd])
  const [inodes] = execFileSync('stat', ['-f', '-c', '%c', odd], { encoding: 'utf8' }).split('\n')
  expect(values.get(odd)).toMatchObject({ inodes: Number(inodes), total_bytes: expect.any(Number) })
})

it('has no room for a path with a newline, which is to be asked by itself', async () => {
  round = createStatfsRound({ start: startHelper, deadlineMs: patienceMs })
  expect((await round.ask(['/tmp\n/proc'])).values.size).toBe(0)
  expect((await round.ask([])).values.size).toBe(0)
})

// `stat` itself cannot be made to hang here. What matters is that it does not keep back what it knows: this one writes to a
// pipe that is not read to its end until the next mount is asked.
it('has the answers of the mounts before the one that hangs, and names that one', async () => {
  const hung = join(dir, 'hung')
  execFileSync('mkfifo', [hung])
  const script = `while read -r _; do { stat -f -c '%S %b %f %a %c %d %-4200n' -- "$1" "$2"; cat "$3"; } ; echo .; done`
  round = createStatfsRound({ start: startHelper, deadlineMs: 6_000 }, ['sh', '-c', script, 'x'])
  const { values, stuck } = await round.ask(['/proc', '/sys', hung])
  expect([...values.keys()]).toEqual(['/proc', '/sys'])
  expect(stuck?.path).toBe(hung)
  await stuck?.ended
})

it('asks again after the helper was killed by somebody', async () => {
  round = createStatfsRound({ start: startHelper, deadlineMs: patienceMs }, [
    'sh',
    '-c',
    'read -r _; echo "4096 4 3 2 1 1 $1"; kill -9 $$',
    'x',
  ])
  const both = [await round.ask(['/a', '/b']), await round.ask(['/a', '/b'])]
  expect(both.map(({ stuck }) => stuck)).toEqual([undefined, undefined])
})
