import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { errorText } from '../text/error-text.js'
import { createRedaction } from './redaction.js'
import { packTar, type TarEntry } from './tar.js'

/** A file of a support bundle. */
export interface BundlePart {
  /** Such as `doctor.json`. */
  readonly file: string
  /** A text is stored as it is, another value as JSON. A rejection is listed in contents.json with its message. */
  readonly collect: () => Promise<unknown>
}

export interface BundleOptions {
  readonly path: string
  /** The folder in the archive. */
  readonly folder: string
  readonly parts: readonly BundlePart[]
  /** Secrets of this machine, which are hidden wherever they appear. */
  readonly secrets: readonly string[]
  readonly now: Date
}

/** What is in a bundle, and why the rest is not. */
export interface BundleContents {
  readonly files: readonly string[]
  readonly missing: Readonly<Record<string, string>>
}

/** Collects the parts and writes them to a new tar.gz that only this account can read. No part has a secret. */
export async function writeBundle({ path, folder, parts, secrets, now }: BundleOptions): Promise<BundleContents> {
  const redact = createRedaction(secrets)
  const files: { file: string; text: string }[] = []
  const missing: Record<string, string> = {}
  for (const { file, collect } of parts) {
    try {
      const value = await collect()
      files.push({ file, text: redact(typeof value === 'string' ? value : json(value)) })
    } catch (error) {
      missing[file] = redact(errorText(error))
    }
  }
  const contents = { files: files.map(({ file }) => file), missing }
  const all = [...files, { file: 'contents.json', text: json({ created: now.toISOString(), ...contents }) }]
  const entries = all.map(({ file, text }): TarEntry => ({ path: `${folder}/${file}`, content: Buffer.from(text) }))
  const packed = await promisify(gzip)(packTar(entries, Math.floor(now.getTime() / 1000)))
  // `wx`: neither an existing file is overwritten nor a link followed.
  await writeFile(path, packed, { flag: 'wx', mode: 0o600 })
  return contents
}

/** Returns the name of a new bundle, such as `roost-support-gw-1-20261124-013000`. */
export function bundleName(program: string, host: string, now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  return `${program}-support-${host.replaceAll(/[^\w.-]/g, '_').slice(0, 40)}-${time}`
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
