import { execFileSync } from 'node:child_process'
import { chownSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { controlPlaneEnv, repository, roostProgram } from '../support/http/control-plane.js'
import { runToEnd } from '../support/programs/processes.js'
import type { ProcessResult } from '../support/programs/processes.js'

/** The account `nobody`, instead of the account `roost` of docs/install.md. */
const owner = { uid: 65_534, gid: 65_534 }
const isReadable = () => {
  try {
    execFileSync('test', ['-r', roostProgram], owner)
    return true
  } catch {
    return false
  }
}
const missing =
  process.getuid?.() !== 0 || process.env.ROOST_TEST_SYSTEM !== '1'
    ? ' (not here: as root, with ROOST_TEST_SYSTEM=1)'
    : isReadable()
      ? ''
      : ` (not here: other accounts cannot read ${repository})`

describe.skipIf(missing !== '')(`root, on an installation of another account${missing}`, () => {
  let home: string
  /** A folder of root's own, as for backups. */
  const kept = (name: string) => join(home, 'kept', name)
  const dataDir = (name: string) => join(home, name)
  const addDataDir = (name: string) => {
    mkdirSync(dataDir(name), { mode: 0o700 })
    chownSync(dataDir(name), owner.uid, owner.gid)
  }
  /** On a machine without an account for PostgreSQL, where none can be added either. */
  const asRoot = (name: string, ...args: readonly string[]) => {
    const script = 'mount --bind "$1" /etc/passwd; shift; exec "$@"'
    const command = ['sh', '-ec', script, 'sh', join(home, 'passwd'), process.execPath, roostProgram, ...args]
    return runToEnd('unshare', ['--mount', ...command], { env: controlPlaneEnv(dataDir(name)) })
  }
  /** Files that the installation's own account could not use. */
  const foreign = async (name: string) => {
    const find = ['find', dataDir(name), '(', '!', '-uid', `${owner.uid}`, '-o', '!', '-gid', `${owner.gid}`, ')']
    return (await runToEnd(find[0] ?? '', find.slice(1))).stdout
  }
  const keyOf = (name: string) => readFileSync(join(dataDir(name), 'secrets.key'), 'utf8')
  const expectOwned = async (name: string, ended: ProcessResult) => {
    expect(ended).toMatchObject({ code: 0 })
    expect(await foreign(name)).toBe('')
  }

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'roost-as-root-'))
    execFileSync('chmod', ['755', home])
    mkdirSync(kept(''), { mode: 0o700 })
    for (const name of ['here', 'there']) addDataDir(name)
    const accounts = readFileSync('/etc/passwd', 'utf8').replace(/^postgres:.*\n/m, '')
    writeFileSync(join(home, 'passwd'), accounts)
    // The first start, as systemd has it.
    await serveOnce('here')
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  /** Starts the control plane as the owner, and ends it once it serves. */
  async function serveOnce(name: string): Promise<void> {
    const script = `${process.execPath} ${roostProgram} local serve & pid=$!
      for i in $(seq 1200); do grep -q '"url":"' roost.pid 2>/dev/null && break; kill -0 $pid || exit 1; sleep 0.1; done
      kill $pid; wait $pid`
    const options = { env: controlPlaneEnv(dataDir(name), { HOME: dataDir(name) }), cwd: dataDir(name), ...owner }
    const { code, stderr } = await runToEnd('sh', ['-c', script], options)
    if (code !== 0) throw new Error(`The control plane did not run: ${stderr}`)
  }

  it('makes a backup that belongs to root', async () => {
    const made = await asRoot('here', 'local', 'backup', kept('first'))
    await expectOwned('here', made)
    expect(made.stdout).toMatch(/\d+ rows and \d+ files to \S+first/)
    expect(statSync(kept('first'))).toMatchObject({ uid: 0, mode: 0o100600 })
    expect(await asRoot('here', 'local', 'backup', kept('first'))).toMatchObject({ code: 4 })
    expect(await asRoot('here', 'local', 'backup', kept('no/where'))).toMatchObject({ code: 1 })
  })

  it('follows no link that the account left where the backup is written', async () => {
    const [target, made] = [kept('target'), join(dataDir('here'), 'linked')]
    writeFileSync(target, 'of root alone')
    execFileSync('ln', ['-s', target, `${made}.new`], owner)
    const backedUp = await asRoot('here', 'local', 'backup', '--with-history', made)
    expect(backedUp).toMatchObject({ code: 0, stdout: expect.stringContaining(', with the history of metrics') })
    expect(readFileSync(target, 'utf8')).toBe('of root alone')
    expect(lstatSync(made)).toMatchObject({ uid: 0, mode: 0o100600 })
    rmSync(made)
  })

  it('restores it for the account of the data directory', async () => {
    await expectOwned('there', await asRoot('there', 'local', 'restore', kept('first')))
    expect(keyOf('there')).toBe(keyOf('here'))
    expect(await asRoot('there', 'local', 'restore', kept('first'))).toMatchObject({ code: 4 })
    await expectOwned('there', await asRoot('there', 'local', 'restore', kept('first'), '--force'))
    expect(await asRoot('there', 'local', 'restore', kept('nothing'), '--force')).toMatchObject({ code: 1 })
    await serveOnce('there')
  })

  it('replaces the encryption key and the authority, and makes a new key for the operator admin', async () => {
    const before = keyOf('here')
    await expectOwned('here', await asRoot('here', 'local', 'rotate-secrets-key'))
    expect(keyOf('here')).not.toBe(before)
    const reset = await asRoot('here', 'local', 'reset-admin')
    await expectOwned('here', reset)
    expect(readFileSync(join(dataDir('here'), 'admin.apikey'), 'utf8')).toBe(reset.stdout)
    await expectOwned('here', await asRoot('here', 'local', 'replace-ca'))
    await serveOnce('here')
  })
})
