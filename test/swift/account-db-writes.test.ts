import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { readConsistently } from '@roost/node-agent/dist/swift/accounts/sqlite-file.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { isSwiftEnabled } from '../support/swift/cluster.js'

const fixture = join(repository, 'apps/node-agent/src/swift/accounts/fixtures/account-db/two-policies.db.gz')

/** As an account server writes, without a pause: both tables and a container in each transaction. */
const writer = `
import itertools, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
db.execute('pragma synchronous = normal')
print('ready', flush=True)
for n in itertools.count():
    db.execute('begin immediate')
    db.execute('update account_stat set bytes_used = bytes_used + ?', (n,))
    db.execute('update policy_stat set bytes_used = bytes_used + ? where storage_policy_index = ?', (n, n % 2))
    db.execute("update account_stat set metadata = ?", ('m' * (n * 37 % 9000),))
    db.execute('rollback' if n % 5 == 4 else 'commit')
`

describe.skipIf(!isSwiftEnabled)('an account database that is written to (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let dir: string
  let path: string
  let child: ChildProcess
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'roost-account-db-'))
    path = join(dir, 'account.db')
    await writeFile(path, gunzipSync(await readFile(fixture)))
    child = spawn('python3', ['-c', writer, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    if (child.stdout !== null) await once(child.stdout, 'data')
  })
  afterAll(async () => {
    const ended = once(child, 'close')
    child.kill('SIGKILL')
    await ended
    await rm(dir, { recursive: true })
  })

  /** The account's bytes, and those of its policies: equal in every state that was committed. */
  const read = () =>
    readConsistently(path, (file) => {
      const bytesOf = (table: string) => Array.from(file.rows(table) ?? [], (row) => Number(row.get('bytes_used')))
      const [account = Number.NaN] = bytesOf('account_stat')
      return { account, policies: bytesOf('policy_stat').reduce((sum, bytes) => sum + bytes, 0) }
    })

  it('is read as it was between two transactions, or not at all', { timeout: 240_000 }, async () => {
    const seen = new Set<number>()
    for (const end = Date.now() + 150_000; seen.size < 100 && Date.now() < end; await nextTick()) {
      const found = read()
      if (found === undefined) continue
      expect(found.policies).toBe(found.account)
      seen.add(found.account)
    }
    expect(seen.size).toBeGreaterThanOrEqual(100)
  })
})
