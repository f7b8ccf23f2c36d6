import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }

export const agentVersion: string = manifest.version

/** The folder of this program, with what its package has beside it. */
export const programFolder: string = fileURLToPath(root)

/** Returns the path of a shell or Python program that the agent ships. */
export function assetPath(name: string): string {
  return fileURLToPath(new URL(`assets/${name}`, root))
}
