import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * Returns the key that signs the packages: the PEM file that ROOST_RELEASE_KEY names, or one that is made for this clone
 * and kept in its .git folder, where no commit includes it.
 */
export function releaseKey(repository) {
  const chosen = process.env['ROOST_RELEASE_KEY']
  const path = chosen ? resolve(chosen) : join(gitFolder(repository), 'roost-release-key.pem')
  if (!chosen && !existsSync(path)) makeKey(path)
  const secret = createPrivateKey(readFileSync(path))
  if (secret.asymmetricKeyType !== 'ed25519') throw new Error(`${path} must be an Ed25519 key.`)
  return { path, secret, pem: createPublicKey(secret).export({ type: 'spki', format: 'pem' }) }
}

/** Writes a new key, which is at its path complete or not at all. Of two builds that begin at once, both use the first one's. */
function makeKey(path) {
  const { privateKey } = generateKeyPairSync('ed25519')
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  try {
    linkSync(draft, path)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}

function gitFolder(repository) {
  const args = ['rev-parse', '--path-format=absolute', '--git-common-dir']
  return execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim()
}

/** Writes the signature of each package, the digests of all, and the public key, and prints which key has signed them. */
export function signAll(folder, { path, secret, pem }) {
  const packages = readdirSync(folder).filter((name) => /\.(?:deb|rpm|tar\.gz)$/.test(name))
  const sums = packages.toSorted().map((name) => {
    const bytes = readFileSync(join(folder, name))
    writeFileSync(join(folder, `${name}.sig`), `${sign(null, bytes, secret).toString('base64')}\n`)
    return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`
  })
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
  writeFileSync(join(folder, 'release.pub'), pem)
  console.log(`Signed with ${path}.`)
}
