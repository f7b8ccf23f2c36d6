import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentPackage } from '@roost/api-types/agent'

/** Packages of Debian, signed by a key of this test. */
export interface SignedPackages {
  readonly releaseKey: KeyObject
  /** Builds a package in the folder, and returns how a control plane offers it. */
  build(control?: Partial<Control>, key?: KeyObject): Promise<AgentPackage>
}

interface Control {
  readonly name: string
  readonly version: string
  readonly arch: 'amd64' | 'arm64'
}

export function signedPackages(folder: string): SignedPackages {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    releaseKey: publicKey,
    async build({ name = 'roost-agent', version = '2.0.0', arch = 'amd64' } = {}, key = privateKey) {
      const tree = join(folder, 'tree')
      const file = `${name}_${version}_${arch}.deb`
      await mkdir(join(tree, 'DEBIAN'), { recursive: true })
      const control = { Package: name, Version: version, Architecture: arch, Maintainer: 'test <test@localhost>' }
      const lines = Object.entries({ ...control, Description: 'test' }).map(([field, value]) => `${field}: ${value}\n`)
      await writeFile(join(tree, 'DEBIAN/control'), lines.join(''))
      execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, join(folder, file)], {
        stdio: 'ignore',
      })
      const bytes = await readFile(join(folder, file))
      return {
        name: file,
        version,
        arch,
        format: 'deb',
        size_bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        signature: sign(null, bytes, key).toString('base64'),
      }
    },
  }
}
