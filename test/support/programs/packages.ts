import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { link, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repository } from '../http/control-plane.js'
import { runToEnd } from './processes.js'

export interface PackageOptions {
  readonly version: string
  readonly only: readonly string[]
  readonly archs: readonly string[]
  readonly formats: readonly string[]
  /** Is built instead of the files as they are now. */
  readonly commit?: string
}

const kept = process.env['XDG_CACHE_HOME'] ?? '/var/tmp'
const prefix = 'roost-test-packages-'
/** The release key of every package of the suites: packages of two versions verify one another, whichever clone built them. */
const keyFile = join(kept, 'roost-test-release-key.pem')
const buildMs = 600_000
const keptMs = 86_400_000
/** What the packages are built from, below the repository. */
const sources = ['apps', 'packages', 'prisma', 'scripts/package', 'deploy', 'pnpm-lock.yaml']

// The suites have run `npm run setup` for the files as they are now.
const script = `folder=$1 commit=$2
  shift 2
  [ ! -d "$folder" ] || exit 0
  rm -rf "$folder.new"
  if [ -n "$commit" ]; then
    clone=$(mktemp -d)
    trap 'rm -rf "$clone"' EXIT
    git clone -q --shared . "$clone"
    cd "$clone"
    git checkout -q "$commit"
    npm run -s setup >&2
  fi
  node scripts/package/main.js --out "$folder.new" "$@" >&2
  mv "$folder.new" "$folder"`

/** The architecture of this machine, as Debian names it. */
export const ownArch = process.arch === 'arm64' ? 'arm64' : 'amd64'

/**
 * Returns the folder of packages that `npm run package` builds from the files as they are now, or from a commit. It is kept for other suites, which wait
 * until it is complete, and for later runs.
 */
export async function buildPackages(of: PackageOptions): Promise<string> {
  // A branch moves: the packages are kept by the commit that they are built from.
  const options = of.commit === undefined ? of : { ...of, commit: shaOf(of.commit) }
  await mkdir(kept, { recursive: true })
  await removeOld()
  await makeKey()
  const folder = join(kept, `${prefix}${digestOf(options)}`)
  const chosen = [
    ...options.only.flatMap((name) => ['--only', name]),
    ...options.archs.flatMap((arch) => ['--arch', arch]),
    ...options.formats.flatMap((format) => ['--format', format]),
  ]
  // Otherwise the time of the commit would be in every file.
  const env = { SOURCE_DATE_EPOCH: '1700000000', ROOST_PACKAGE_VERSION: options.version, ROOST_RELEASE_KEY: keyFile }
  const build = ['-ec', script, 'sh', folder, options.commit ?? '', ...chosen]
  const { code, stderr } = await runToEnd('flock', [`${folder}.lock`, 'sh', ...build], {
    cwd: repository,
    env: { ...(process.env as Record<string, string>), ...env },
    timeout: buildMs,
  })
  if (code !== 0) throw new Error(`The packages could not be built: ${stderr}`)
  return folder
}

/**
 * Writes the .deb of another version with the same files, which is much faster than a build, and returns its path. The script changes
 * the folder of the program, where it runs.
 */
export async function repackDeb(file: string, from: string, to: string, script = ''): Promise<string> {
  const target = file.replace(`_${from}_`, `_${to}_`)
  const { code, stderr } = await runToEnd('sh', ['-ec', repackScript, 'sh', file, from, to, target, script])
  if (code !== 0) throw new Error(`${file} could not be packed as ${to}: ${stderr}`)
  return target
}

const repackScript = `tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  dpkg-deb -R "$1" "$tree"
  home=$(echo "$tree"/usr/lib/roost*/"$2")
  mv "$home" "\${home%/*}/$3"
  cd "\${home%/*}/$3"
  sed -i "s/$2/$3/g" "$tree"/DEBIAN/* package.json setup bin/*
  eval "$5"
  dpkg-deb --root-owner-group -Znone -b "$tree" "$4" >/dev/null`

/** Of suites that begin at once, all use the first one's key. */
async function makeKey(): Promise<void> {
  if (existsSync(keyFile)) return
  const { privateKey } = generateKeyPairSync('ed25519')
  const draft = `${keyFile}.${process.pid}`
  await writeFile(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  await link(draft, keyFile).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
}

function shaOf(commit: string): string {
  const argv = ['rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`]
  return execFileSync('git', argv, { cwd: repository, encoding: 'utf8' }).trim()
}

function digestOf(options: PackageOptions): string {
  const digest = createHash('sha256').update(JSON.stringify(options)).update(readFileSync(keyFile))
  const hex = () => digest.digest('hex').slice(0, 16)
  if (options.commit !== undefined) return hex()
  const list = ['ls-files', '-co', '--exclude-standard', '-z', '--', ...sources]
  const files = execFileSync('git', list, { cwd: repository, encoding: 'utf8', maxBuffer: 1 << 26 }).split('\0')
  for (const file of files.filter((one) => one !== '' && !one.endsWith('.test.ts')))
    if (statSync(join(repository, file), { throwIfNoEntry: false })?.isFile())
      digest.update(file).update(readFileSync(join(repository, file)))
  return hex()
}

/** Removes the packages of earlier states of the files. */
async function removeOld(): Promise<void> {
  for (const name of (await readdir(kept)).filter((one) => one.startsWith(prefix))) {
    const { mtimeMs } = await stat(join(kept, name)).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > keptMs) await rm(join(kept, name), { recursive: true, force: true })
  }
}
