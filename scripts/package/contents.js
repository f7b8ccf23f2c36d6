import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { node } from './products.js'

/** A package that is in a bundle or beside it. */
function describe({ folder, manifest }) {
  const { name, version, license } = manifest
  return { name, version, license: license ?? 'unknown', text: licenseText(folder, manifest) }
}

/** Returns what a program contains of others, by name: Node, PostgreSQL, and the packages of npm. */
export function listContents({ packages, binary, database }) {
  const modules = packages.map(describe).filter(({ name }) => !name.startsWith('@roost/'))
  const programs = [{ name: 'node', version: node.version, license: 'MIT', text: binary.license }]
  if (database !== undefined) programs.push(describe(database))
  // A package with different peers has several folders.
  const byKey = new Map([...programs, ...modules].map((one) => [keyOf(one), one]))
  return [...byKey.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function keyOf({ name, version }) {
  return `${name}@${version}`
}

const shortestText = 300

/** Returns the text of the license: of a file, of a section of the readme, else that of the license by its name. */
function licenseText(folder, { license, author }) {
  const names = readdirSync(folder)
  const read = (pattern) =>
    names.filter((name) => pattern.test(name)).map((name) => readFileSync(join(folder, name), 'utf8'))
  const [file] = read(/^(?:licen[cs]e|copying)(?:\.\w+)?$/i)
  if (file !== undefined) return file
  const [readme = ''] = read(/^readme(?:\.\w+)?$/i)
  const section = /^#+ *licen[cs]e\s*$(.*?)(?=^#|(?![^]))/ims.exec(readme)?.[1] ?? ''
  return section.trim().length >= shortestText ? section : standardText(license, author)
}

/** Some packages name their license only. */
function standardText(license, author) {
  if (license === 'Apache-2.0') return 'Its text is that of the license of Roost above.'
  if (license !== 'MIT' || author === undefined) return ''
  const holder = typeof author === 'string' ? author : author.name
  return readFileSync(new URL('mit.txt', import.meta.url), 'utf8').replace('@HOLDER@', holder)
}

/** Returns the file of licenses, which Debian calls copyright. */
export function copyrightFile(license, contents) {
  const parts = contents.map(
    (one) => `${keyOf(one)}: ${one.license}\n\n${one.text.trim() || 'Its package has no text of the license.'}`,
  )
  return [`Roost: Apache-2.0\n\n${license.trim()}`, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`).concat('\n')
}

/** Returns the list of parts by CycloneDX 1.6. Its number is that of its contents: the same commit writes the same file. */
export function billOfMaterials({ name, version, epoch, arch }, contents) {
  const components = contents.map((one) => ({
    type: one.name === 'node' ? 'application' : 'library',
    'bom-ref': keyOf(one),
    name: one.name,
    version: one.version,
    licenses: [{ license: { name: one.license } }],
    purl:
      one.name === 'node'
        ? `pkg:generic/node@${one.version}`
        : `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
  }))
  const digest = createHash('sha256')
    .update(JSON.stringify([name, version, arch, components]))
    .digest('hex')
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(digest)}`,
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: { type: 'application', 'bom-ref': name, name, version, licenses: [{ license: { id: 'Apache-2.0' } }] },
    },
    components,
  }
}

function uuidOf(digest) {
  const hex = `${digest.slice(0, 12)}8${digest.slice(13, 16)}8${digest.slice(17, 32)}`
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
