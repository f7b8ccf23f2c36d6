import { join } from 'node:path'
import { repository } from '../http/control-plane.js'
import type { ProcessResult } from '../programs/processes.js'
import type { Swift } from '../swift/cluster.js'
import type { MachineProcess } from '../swift/machine.js'
import { addresses } from './gateway.js'

export interface ClientOptions {
  /** By which address it comes, and reaches the gateway. */
  readonly address?: string
  /** `user%password`; a guest unless given. */
  readonly login?: string
  /** Of NFS; 3 unless given. */
  readonly version?: 3 | 4
}

const clientMs = 200_000
/** How long smbclient waits for one answer of the server: 20 s by itself, which a machine that stands still takes. */
const answerSeconds = 150
const putProgram = join(repository, 'test/support/gateway/nfs-put.py')

/** Real clients of shares, in the machine's network. */
export interface Clients {
  /** Commands of smbclient, on a share. Local files of every client are those of the machine's folder. */
  smb(share: string, commands: string, options?: ClientOptions): Promise<ProcessResult>
  /** Writes what a shell command prints to a file of the share, as fast as it prints. */
  smbStream(share: string, source: string, file: string, options?: ClientOptions): MachineProcess
  /** Copies a file to a share. */
  nfsPut(local: string, share: string, file: string, options?: ClientOptions): Promise<ProcessResult>
  nfsGet(share: string, file: string, local: string, options?: ClientOptions): Promise<ProcessResult>
  nfsList(share: string, options?: ClientOptions): Promise<ProcessResult>
  /** Writes a file to a share by NFSv3 in pieces of 256 KiB, with a pause after each, and the last when a file is there. */
  nfsStream(local: string, share: string, file: string, pauseMs: number, awaited: string): MachineProcess
}

export function createClients({ machine }: Swift): Clients {
  const address = (options: ClientOptions = {}) => options.address ?? addresses[0]
  const run = (file: string, args: readonly string[]) => machine.run(file, args, { timeout: clientMs })
  const smbArguments = (share: string, commands: string, options: ClientOptions = {}) => [
    `//${address(options)}/${share}`,
    '-m',
    'SMB3',
    '-t',
    String(answerSeconds),
    ...(options.login === undefined ? ['-N'] : ['-U', options.login]),
    '-c',
    commands,
  ]
  const nfsUrl = (share: string, file: string, options?: ClientOptions) =>
    `nfs://${address(options)}/${share}/${file}?version=${options?.version ?? 3}&uid=0&gid=0`
  return {
    smb: (share, commands, options) =>
      run('smbclient', smbArguments(share, `lcd ${machine.dir}; ${commands}`, options)),
    smbStream(share, source, file, options) {
      const args = smbArguments(share, `put - ${file}`, options).map((arg) => `'${arg}'`)
      return machine.spawn('bash', ['-c', `set -o pipefail; ${source} | smbclient ${args.join(' ')}`])
    },
    nfsPut(local, share, file, options) {
      const [from, to] = [join(machine.dir, local), nfsUrl(share, file, options)]
      if (options?.version !== 4) return run('nfs-cp', [from, to])
      // It would write more at a time than its library can encode.
      return run('python3', [putProgram, to, from, '0', from, '1000'])
    },
    nfsGet: (share, file, local, options) => run('nfs-cp', [nfsUrl(share, file, options), join(machine.dir, local)]),
    nfsList: (share, options) => run('nfs-ls', [nfsUrl(share, '', options)]),
    nfsStream: (local, share, file, pauseMs, awaited) =>
      machine.spawn('python3', [
        putProgram,
        nfsUrl(share, file),
        join(machine.dir, local),
        String(pauseMs / 1000),
        join(machine.dir, awaited),
      ]),
  }
}
