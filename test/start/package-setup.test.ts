import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { runToEnd } from '../support/programs/processes.js'

const [former, next] = ['1.0.0', '1.1.0']
let root = ''
const path = (name: string) => join(root, name)

/** Returns the script as the package has it, for an installation below the folder of the test. */
async function readSetup(): Promise<string> {
  const read = (name: string) => readFile(join(repository, 'deploy/packaging', name), 'utf8')
  const script = (await read('roost/setup'))
    .replaceAll('@VERSION@', next)
    .replace('@FUNCTIONS@\n', await read('functions.sh'))
  return script.replaceAll(/(?<=[ =])\/(?=usr\/|etc\/|var\/|run\/)/g, `${root}/`)
}

/** A version that makes backups; its restores that keep the history end with the codes of a file, one after the other. */
const roost = () => `echo "$*" >>${path('commands')}
  case $* in
    *--keep-history*)
      code=$(head -n 1 ${path('codes')})
      sed -i 1d ${path('codes')}
      echo "roost: It ended with $code." >&2
      exit $code ;;
  esac`

/** Stands for systemd: the new version does not start. */
const systemctl = () => `case $* in start*) [ "$(readlink ${path('usr/lib/roost/current')})" = ${former} ] ;; esac`

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'roost-setup-'))
  for (const name of ['bin', 'etc/roost', 'run/systemd/system', 'var/lib/roost-backup'])
    await mkdir(path(name), { recursive: true })
  const executable = (name: string, text: string) => writeFile(path(name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  for (const name of ['systemd-sysusers', 'systemd-tmpfiles']) await executable(`bin/${name}`, 'true')
  await executable('bin/systemctl', systemctl())
  await executable('bin/deb-systemd-invoke', 'exec systemctl "$@"')
  await executable('bin/journalctl', 'echo "roost: It has no port."')
  for (const version of [former, next]) {
    await mkdir(path(`usr/lib/roost/${version}/bin`), { recursive: true })
    await executable(`usr/lib/roost/${version}/bin/roost.js`, roost())
  }
  await symlink(former, path('usr/lib/roost/current'))
  await writeFile(path('etc/roost/environment'), '')
  await writeFile(path('setup'), await readSetup())
})
afterEach(() => rm(root, { recursive: true }))

it('setup is clean for shellcheck', async ({ skip }) => {
  if ((await runToEnd('shellcheck', ['--version'])).code !== 0) skip('needs the package shellcheck')
  expect(await runToEnd('shellcheck', ['--shell=sh', path('setup')])).toMatchObject({ code: 0, stdout: '' })
})

const [keeping, deleting] = ['--force --keep-history', '--force']
const isKept = '1.0.0 runs again, with the data of the backup BACKUP. The history of metrics is kept. Install'
const isNotKept = (code: number) =>
  `1.0.0 runs again, with the data of the backup BACKUP. The history of metrics could not be kept (It ended with ${code}.). Install`
it.each([
  ['keeps the history', [0], [keeping], isKept],
  ['repeats a restore that failed', [1, 0], [keeping, keeping], isKept],
  [
    'deletes no history for a failure that may pass, and says how to go on',
    [1, 7],
    [keeping, keeping],
    'the state of before could not be restored (It ended with 7.). Correct the reason, then: roost local restore --force --keep-history BACKUP && systemctl start roost',
  ],
  ['restores without a history that does not fit', [11], [keeping, deleting], isNotKept(11)],
  ['restores without the history where the former version cannot keep it', [2], [keeping, deleting], isNotKept(2)],
  ['sees at the second time that it does not fit', [1, 11], [keeping, keeping, deleting], isNotKept(11)],
])('an upgrade that returns %s', async (_what, codes, restores, message) => {
  await writeFile(path('codes'), codes.map((code) => `${code}\n`).join(''))
  const env = { PATH: `${path('bin')}:${process.env['PATH']}` }
  const { code, stderr } = await runToEnd('sh', [path('setup'), 'installed'], { env })
  const [, ...commands] = (await readFile(path('commands'), 'utf8')).trim().split('\n')
  const backup = commands[0]?.split(' ').at(-1) ?? ''
  expect(commands).toEqual(restores.map((options) => `local restore ${options} ${backup}`))
  expect([code, stderr]).toEqual([1, expect.stringContaining('1.1.0 did not start (It has no port.)')])
  expect(stderr).toContain(message.replace('BACKUP', backup))
})
