import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { runToEnd } from '../programs/processes.js'
import { nspawnArguments, ownCgroup } from './nspawn.js'

/** The packages of a gateway, as an operator installs them. */
const packages = 'systemd systemd-sysv dbus procps iproute2 curl libstdc++6 samba samba-common-bin rclone fuse3'.split(
  ' ',
)
const programs = ['mmdebstrap', 'systemd-nspawn', 'unshare']
const buildMs = 600_000
/** What is mounted ends with the processes that need it, also when they are killed. */
const ownMounts = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']

/** Those of Ubuntu need its archive and its keys; the others are of Debian. */
const ubuntuReleases = ['jammy', 'noble']
const ubuntuArchive = 'http://archive.ubuntu.com/ubuntu'
const ubuntuKeyring = {
  path: keptPath('ubuntu-archive-keyring.gpg'),
  url: `${ubuntuArchive}/pool/main/u/ubuntu-keyring/ubuntu-keyring_2021.03.26_all.deb`,
  sha256: '0d0e7ed6b112f5d03eabf3c7eb01ebdacf9c57714b279e90495cfc58c8c4520f',
}

export type SystemdRoot = { readonly path: string } | { readonly missing: string }

/**
 * Returns the folder of a Debian or Ubuntu with a systemd of its own, or why this environment cannot run one. It takes one to three
 * minutes to build, and is kept for later runs outside of the repository; `more` are further packages, and release and architecture
 * are by default those of this machine. Nothing may write into it: boot it below an overlay.
 */
export async function findSystemdRoot(
  more: readonly string[] = [],
  release = osRelease()['VERSION_CODENAME'] ?? '',
  arch?: 'amd64' | 'arm64',
): Promise<SystemdRoot> {
  const missing = missingHere() ?? missingEmulator(arch)
  if (missing !== undefined) return { missing }
  const include = `--include=${[...packages, ...more].join(',')}`
  const recipe = [release, sourceOf(release), '--variant=minbase', include, ...(arch ? [`--arch=${arch}`] : [])]
  const path = keptPath(createHash('sha256').update(recipe.join('\n')).digest('hex').slice(0, 12))
  try {
    if (!existsSync(path)) await build(path, recipe)
    if ((await stat(path)).uid !== 0) return { missing: `${path} belongs to another account than root` }
    await tryNspawn(path)
    return { path }
  } catch (error) {
    return { missing: (error as Error).message }
  }
}

function missingHere(): string | undefined {
  if (process.env.ROOST_TEST_SYSTEM !== '1' || process.getuid?.() !== 0) return 'as root, with ROOST_TEST_SYSTEM=1'
  const folders = (process.env.PATH ?? '').split(delimiter)
  const absent = programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))))
  if (absent.length > 0) return `without ${absent.join(', ')}`
  return existsSync('/dev/fuse') ? undefined : 'without /dev/fuse'
}

/** The kernel starts programs of another architecture by the emulator of qemu-user-static, once that is registered. */
function missingEmulator(arch: 'amd64' | 'arm64' | undefined): string | undefined {
  const emulator = { amd64: ['x64', 'qemu-x86_64'], arm64: ['arm64', 'qemu-aarch64'] } as const
  if (arch === undefined || process.arch === emulator[arch][0]) return undefined
  const name = emulator[arch][1]
  return existsSync(join('/proc/sys/fs/binfmt_misc', name)) ? undefined : `without ${name} in binfmt_misc`
}

function osRelease(): Readonly<Record<string, string>> {
  const lines = readFileSync('/etc/os-release', 'utf8').split('\n')
  return Object.fromEntries(lines.map((line) => line.split('=', 2)).map(([key, value]) => [key, value ?? '']))
}

function keptPath(name: string): string {
  return join(process.env.XDG_CACHE_HOME ?? '/var/tmp', `roost-test-systemd-${name}`)
}

/** The line for apt, where it is not Debian's. */
function sourceOf(release: string): string {
  if (!ubuntuReleases.includes(release)) return ''
  return `deb [signed-by=${ubuntuKeyring.path}] ${ubuntuArchive} ${release} main universe`
}

/** Of suites that begin at once, one builds, and the others wait for its root. */
const buildScript = `path=$1 release=$2 source=$3
  shift 3
  [ ! -d "$path" ] || exit 0
  if [ -n "$source" ]; then
    packed=$(mktemp -d)
    trap 'rm -rf "$packed"' EXIT
    curl -fsS --retry 3 -o "$packed/keyring.deb" "$KEYRING_URL"
    echo "$KEYRING_SHA256  $packed/keyring.deb" | sha256sum --quiet -c -
    dpkg-deb --fsys-tarfile "$packed/keyring.deb" | tar -xO ./usr/share/keyrings/ubuntu-archive-keyring.gpg >"$KEYRING.$$"
    # Another root may be built with it now.
    mv "$KEYRING.$$" "$KEYRING"
  fi
  # A build that was killed may have left folders of this machine mounted there, as /dev/shm.
  rm -rf --one-file-system "$path.new"
  mmdebstrap "$@" "$release" "$path.new" \${source:+"$source"}
  mv "$path.new" "$path"`

async function build(path: string, recipe: readonly string[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const argv = [`${path}.lock`, 'unshare', ...ownMounts, 'sh', '-ec', buildScript, 'sh', path, ...recipe]
  const { path: KEYRING, url: KEYRING_URL, sha256: KEYRING_SHA256 } = ubuntuKeyring
  const env = { ...(process.env as Record<string, string>), KEYRING, KEYRING_URL, KEYRING_SHA256 }
  const { code, stderr } = await runToEnd('flock', argv, { timeout: buildMs, env })
  if (code !== 0) throw new Error(`mmdebstrap failed: ${lastLine(stderr)}`)
}

/** Rejects where there are no rights to start a container. */
async function tryNspawn(path: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'roost-nspawn-'))
  const script = `${ownCgroup(scratch)}\nmount -t tmpfs tmpfs /run\nexec "$@"`
  const argv = ['systemd-nspawn', '--read-only', ...nspawnArguments(path), '--', 'true']
  const { code, stderr } = await runToEnd('unshare', [...ownMounts, 'sh', '-ec', script, 'sh', ...argv])
  await rm(scratch, { recursive: true })
  if (code !== 0) throw new Error(`systemd-nspawn failed: ${lastLine(stderr)}`)
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
