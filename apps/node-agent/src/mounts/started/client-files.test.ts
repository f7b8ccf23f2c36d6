import { constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { createClientFiles } from './client-files.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-proc-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const mountinfo = [
  '20 1 8:1 / / rw - ext4 /dev/sda1 rw',
  '31 20 0:50 / /srv/1 rw - fuse.rclone swift:a rw',
  '32 20 0:51 / /srv/2 rw - fuse.rclone swift:b rw',
].join('\n')

function addProcess(pid: number, name: string, files: readonly { readonly mount: number; readonly flags: number }[]) {
  const dir = join(root, 'proc', String(pid))
  mkdirSync(join(dir, 'fdinfo'), { recursive: true })
  writeFileSync(join(dir, 'comm'), `${name}\n`)
  writeFileSync(join(dir, 'mountinfo'), mountinfo)
  for (const [fd, { mount, flags }] of files.entries())
    writeFileSync(
      join(dir, 'fdinfo', String(fd)),
      `pos:\t0\nflags:\t0${flags.toString(8)}\nmnt_id:\t${mount}\nino:\t7\n`,
    )
}
const read = async () => Object.fromEntries(await createClientFiles(openMachine(root))())

it('counts files that Samba and ganesha have open, by mount, and no folders or paths alone', async () => {
  const { O_RDWR, O_DIRECTORY } = constants
  addProcess(10, 'smbd', [
    { mount: 31, flags: O_RDWR },
    { mount: 31, flags: 0 },
    { mount: 20, flags: O_RDWR },
    { mount: 32, flags: O_DIRECTORY },
    { mount: 32, flags: 0o10_000_000 },
  ])
  addProcess(11, 'ganesha.nfsd', [{ mount: 31, flags: O_RDWR }])
  addProcess(12, 'bash', [{ mount: 32, flags: O_RDWR }])
  expect(await read()).toEqual({ '/srv/1': 3 })
})

it('counts none where no server runs', async () => {
  expect(await read()).toEqual({})
})
