import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cifsShare, nfsShare } from '@roost/testing/shares'

const program = fileURLToPath(new URL('../../bin/roost-agent.js', import.meta.url))

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-render-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function render(input: unknown, ...args: readonly string[]) {
  const all = [program, '--data-dir', dir, '--root', dir, 'render', '--desired', '-', ...args]
  const json = typeof input === 'string' ? input : JSON.stringify(input)
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8', env: {}, input: json })
  return { status, stdout, stderr }
}

const gateway = (...shares: readonly object[]) => ({ kind: 'gateway', storage: null, shares })

describe('roost-agent render', () => {
  it('prints the files of the NFS server and of Samba, and writes none', () => {
    const { status, stdout } = render(gateway(nfsShare(1), cifsShare(2)), '--backend', 'kernel', '--generation', '9')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^==> \/etc\/exports\.d\/roost\.exports <==\n# Written by Roost.*\n# generation 9, /)
    expect(stdout).toContain('\n==> /etc/samba/roost.d/shares.conf <==\n')
    expect(readdirSync(dir)).toEqual([])
  })

  it('takes the server and the folder of mounts from the configuration, and prints JSON', () => {
    const config = { gateway: { nfs: 'ganesha', mount_directory: '/data/shares' } }
    writeFileSync(join(dir, 'config.json'), JSON.stringify(config))
    const { files } = JSON.parse(render(gateway(nfsShare(1)), '-o', 'json').stdout) as Record<string, unknown>
    expect(files).toMatchObject([
      {
        path: '/etc/ganesha/roost.d/exports.conf',
        mode: '644',
        content: expect.stringContaining('"/data/shares/1"'),
      },
      { path: '/etc/samba/roost.d/shares.conf' },
    ])
  })

  it('prints everything to a slow reader, and ends quietly when its reader closes the pipe', () => {
    const file = join(dir, 'desired.json')
    const shares = Array.from({ length: 2000 }, (_, index) => nfsShare(index + 1))
    writeFileSync(file, JSON.stringify(gateway(...shares)))
    const pipeTo = (reader: string) => {
      const script = `"$0" "$1" --data-dir "$2" render --desired "$3" --backend kernel | ${reader}; echo "exit code \${PIPESTATUS[0]}" >&2`
      return spawnSync('bash', ['-c', script, process.execPath, program, dir, file], { encoding: 'utf8' })
    }
    const slow = pipeTo('{ head -c 1; sleep 0.3; cat; }')
    expect(slow.stderr).toBe('exit code 0\n')
    expect(slow.stdout.length).toBeGreaterThan(100_000)
    expect(slow.stdout).toMatch(/shares\.conf <==\n# Written by Roost[^]*\n$/)
    expect(pipeTo('head -c 1')).toMatchObject({ stdout: '=', stderr: 'exit code 0\n' })
  })

  it('names the share and the field that it refuses', () => {
    const { status, stderr, stdout } = render(gateway(cifsShare(2, { name: 'a]b' })))
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toBe('Share 2: name "a]b" is not a valid name of a share.\n')
  })

  it.each([
    [{}, "kind: Invalid discriminator value. Expected 'gateway' | 'user_db'"],
    [{ kind: 'gateway', storage: null, shares: 3 }, 'shares: Invalid input: expected array, received number'],
    [gateway(nfsShare(1, { id: 'one' as never })), 'shares.0.id: Invalid input: expected number, received string'],
  ])('says of %j what is wrong with it', (input, fault) => {
    expect(render(input)).toEqual({ status: 2, stdout: '', stderr: `The desired state cannot be read: ${fault}.\n` })
  })

  it('says what is missing for NFS shares on a machine without a server', () => {
    const { status, stderr } = render(gateway(nfsShare(1)))
    expect(status).toBe(1)
    expect(stderr).toMatch(/no NFS server is installed on this machine\.\nInstall .* or choose one with --backend/)
  })

  it.each([
    ['not JSON', 'The desired state is not valid JSON.'],
    [
      { kind: 'user_db', users: [] },
      'The desired state is of the kind user_db, which has no shares. Use the desired state of a gateway.',
    ],
    [gateway({ id: 1 }), 'The desired state cannot be read: shares.0.protocol: '],
  ])('ends with exit code 2 for what is no desired state: %j', (input, sentence) => {
    const { status, stderr } = render(input)
    expect(status).toBe(2)
    expect(stderr).toContain(sentence)
  })

  const isSystem = Boolean(process.env.ROOST_TEST_SYSTEM) && process.getuid?.() === 0
  it.skipIf(!isSystem)('lets the servers’ own programs read the files (as root, with ROOST_TEST_SYSTEM=1)', () => {
    const shares = gateway(nfsShare(1, { clients_allowed_list: '10.0.0.0/8' }), cifsShare(2))
    const { status, stderr } = render(shares, '--backend', 'kernel', '--check')
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr:
        '/etc/exports.d/roost.exports accepted: the server reads the file as intended.\n' +
        '/etc/samba/roost.d/shares.conf accepted: the server reads the file as intended.\n',
    })
    const unknown = render(
      gateway(nfsShare(1, { clients_allowed_list: 'no.such.example' })),
      '--backend',
      'kernel',
      '--check',
    )
    expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('Failed to resolve no.such.example')])
  })
})
