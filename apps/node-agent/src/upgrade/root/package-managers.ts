import type { PackageFormat } from '@roost/api-types/agent'
import type { Clock } from '@roost/runtime'
import { type CommandResult, describeFailure, type RunCommand } from '../../machine/run-command.js'

/** What the package itself says, which its signature covers. */
export interface DescribedPackage {
  readonly name: string
  readonly version: string
  /** By Debian's name; null where the format does not say. */
  readonly arch: string | null
}

/** Installs packages of one format. Both reject with a sentence. */
export interface PackageManager {
  describe(file: string): Promise<DescribedPackage>
  /** Installs a version, also an older one. Its own scripts restart the agent. */
  install(file: string): Promise<void>
}

export interface ManagerOptions {
  readonly run: RunCommand
  readonly clock: Clock
}

/** Of an installation, with its scripts. */
const installMs = 300_000
const readMs = 60_000
/** While another program uses dpkg, such as unattended upgrades. */
const lockedRetryMs = 5_000
const lockedRetries = 60

const rpmArchitectures: Readonly<Record<string, string>> = { x86_64: 'amd64', aarch64: 'arm64' }

const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  DEBIAN_FRONTEND: 'noninteractive',
}

/** THE LIST of formats, each with the program that installs it. */
export function packageManager(format: PackageFormat, options: ManagerOptions): PackageManager {
  const managers = { deb: debManager, rpm: rpmManager, tar: tarManager } as const
  return managers[format](options)
}

function debManager({ run, clock }: ManagerOptions): PackageManager {
  const install = async (file: string) => {
    for (let attempt = 1; ; attempt += 1) {
      const result = await run('dpkg', ['--force-confold', '-i', file], { deadlineMs: installMs, env: environment })
      const isLocked = result.exitCode === 2 && result.stderr.includes('lock')
      if (!isLocked || attempt > lockedRetries) return succeeded('dpkg', result)
      await new Promise<void>((resolve) => clock.after(lockedRetryMs, resolve))
    }
  }
  return {
    async describe(file) {
      const fields = await read(run, 'dpkg-deb', ['-f', file, 'Package', 'Version', 'Architecture'])
      const valueOf = (field: string) => new RegExp(`^${field}: (.*)$`, 'm').exec(fields)?.[1] ?? ''
      return { name: valueOf('Package'), version: valueOf('Version'), arch: valueOf('Architecture') }
    },
    install,
  }
}

function rpmManager({ run }: ManagerOptions): PackageManager {
  return {
    async describe(file) {
      // The signature of the release key was verified; rpm's own would need a key in its database.
      const query = ['-qp', '--nosignature', '--qf', '%{NAME}\n%{VERSION}\n%{ARCH}\n', file]
      const [name = '', version = '', arch = ''] = (await read(run, 'rpm', query)).split('\n')
      return { name, version, arch: rpmArchitectures[arch] ?? arch }
    },
    async install(file) {
      const args = ['-U', '--oldpackage', '--replacepkgs', '--nosignature', file]
      succeeded('rpm', await run('rpm', args, { deadlineMs: installMs, env: environment }))
    },
  }
}

function tarManager({ run }: ManagerOptions): PackageManager {
  const describe = async (file: string) => {
    const entries = (await read(run, 'tar', ['-tzf', file])).split('\n').filter((entry) => entry !== '')
    const outside = entries.find((entry) => !/^(?:\.\/)?(?:usr(?:\/|$)|$)/.test(entry) || entry.includes('..'))
    if (outside !== undefined) throw new Error(`${file} contains ${outside}, which is outside of usr.`)
    const manifest = /^(?:\.\/)?usr\/lib\/([a-z-]+)\/([^/]+)\/package\.json$/
    const [, name = '', version = ''] =
      entries.map((entry) => manifest.exec(entry)).find((match) => match !== null) ?? []
    return { name, version, arch: null }
  }
  return {
    describe,
    async install(file) {
      const { name, version } = await describe(file)
      const options = { deadlineMs: installMs, env: environment }
      succeeded('tar', await run('tar', ['-C', '/', '-xzf', file, '--no-same-owner'], options))
      succeeded('setup', await run(`/usr/lib/${name}/${version}/setup`, ['installed'], options))
    },
  }
}

async function read(run: RunCommand, program: string, args: readonly string[]): Promise<string> {
  const result = await run(program, args, { deadlineMs: readMs, env: environment })
  succeeded(program, result)
  return result.stdout
}

/** Throws what a program that failed printed last. */
function succeeded(program: string, result: CommandResult): void {
  if (result.outcome === 'exited' && result.exitCode === 0) return
  const reason = result.outcome === 'exited' ? reasonOf(result.stderr) : ''
  throw new Error(`${program} failed: ${reason || describeFailure(result)}`)
}

/** The last line, or that of the package's own script: dpkg prints below it that the script failed, and the names of packages. */
function reasonOf(stderr: string): string {
  const [output = ''] = stderr.split(/^Errors were encountered while processing:$/m)
  const [before = '', ofDpkg = ''] = output.split(/^dpkg: error processing .*$/m)
  const ofScript = before.replaceAll(/^dpkg: warning: .*$/gm, '')
  return lastLine(ofScript) || lastLine(ofDpkg)
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? ''
}
