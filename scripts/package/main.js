// Builds the packages: `npm run package -- [--only NAME] [--arch ARCH] [--format FORMAT] [--out FOLDER]`.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from './bundle.js'
import { stageCollection } from './collection.js'
import { buildDeb } from './deb.js'
import { fetchNode } from './node-binary.js'
import { architectures, collection, programs } from './products.js'
import { buildRpm } from './rpm.js'
import { releaseKey, signAll } from './sign.js'
import { stageProgram } from './stage.js'
import { buildTar } from './tar.js'
import { repository, sourceEpoch, version } from './version.js'

const builders = { deb: buildDeb, rpm: buildRpm, tar: buildTar }

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    arch: { type: 'string', multiple: true },
    format: { type: 'string', multiple: true },
    out: { type: 'string', default: join(repository, 'dist/packages') },
  },
})

/** Returns the chosen ones of the known names, or all. */
function choose(option, known) {
  const chosen = values[option] ?? known
  const unknown = chosen.find((name) => !known.includes(name))
  if (unknown === undefined) return chosen
  throw new Error(`--${option} ${unknown} is unknown. Choose from: ${known.join(', ')}.`)
}

const names = choose('only', [...Object.keys(programs), collection.name])
const archs = choose('arch', Object.keys(architectures))
const kinds = choose('format', Object.keys(builders))

async function buildProgram(name, { key, out, scratch }) {
  const bundled = join(scratch, 'bundle')
  const packages = await bundle(programs[name], bundled)
  for (const arch of archs) {
    const item = { name, arch, version, epoch: sourceEpoch, meta: programs[name], hasScripts: true }
    const tree = join(scratch, arch)
    stageProgram(item, { bundled, packages, binary: fetchNode(arch), key }, tree)
    for (const kind of kinds) console.log(builders[kind](item, tree, out))
    rmSync(tree, { recursive: true })
  }
}

function buildCollection({ key, out, scratch }) {
  const { name } = collection
  const item = {
    name,
    arch: 'all',
    version,
    epoch: sourceEpoch,
    meta: collection,
    hasScripts: false,
    isCompressed: true,
  }
  const tree = join(scratch, 'tree')
  if (stageCollection(item, { key, out }, tree) === 0)
    throw new Error(`${out} has no packages of ${collection.of} ${version}. Build them first, or without --only.`)
  for (const kind of kinds) console.log(builders[kind](item, tree, out))
}

async function build(out, scratch) {
  const key = releaseKey(repository)
  for (const name of names) {
    const context = { key, out, scratch: mkdtempSync(join(scratch, 'one-')) }
    if (name === collection.name) buildCollection(context)
    else await buildProgram(name, context)
  }
  signAll(out, key)
}

// The modes of what is packed must not depend on the account that builds.
process.umask(0o022)
const scratch = mkdtempSync(join(tmpdir(), 'roost-package-'))
try {
  const out = resolve(values.out)
  const isComplete = [values.only, values.arch, values.format].every((one) => one === undefined)
  if (isComplete) rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  await build(out, scratch)
} catch (error) {
  process.stderr.write(`npm run package: ${error.message}\n`)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
