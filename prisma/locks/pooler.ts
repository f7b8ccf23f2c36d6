import type pg from 'pg'

/** A pooler that assigns server connections by turns repeats itself within three rounds. */
const rounds = 3

/**
 * Returns true if a pooler gives each transaction another connection to the server: a lock of a session would then belong
 * to any client that comes next. While `other` is in a transaction, `client` must keep its own server process.
 */
export async function isPooledByTransaction(client: pg.Client, other: pg.Client): Promise<boolean> {
  const first = await serverPid(client)
  for (let round = 0; round < rounds; round++) {
    await other.query('begin')
    const pids = [await serverPid(other), await serverPid(client).catch(undefinedAtTimeout)]
    await other.query('commit')
    if (pids[0] === first || pids[1] !== first) return true
  }
  return false
}

async function serverPid(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}

/** A pool of a single connection does not answer other clients during a transaction. */
function undefinedAtTimeout(error: unknown): undefined {
  if (!(error instanceof Error && error.message.includes('timeout'))) throw error
}
