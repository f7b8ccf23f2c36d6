// Builds the packages: `npm run package -- [--only NAME] [--arch ARCH] [--format FORMAT] [--out FOLDER]`.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from './bundle.js'
import { buildDeb } from './deb.js'
import { fetchNode } from './node-binary.js'
import { architectures, programs } from './products.js'
import { releaseKey, signAll } from './sign.js'
import { stage } from './stage.js'
import { repository, sourceEpoch, version } from './version.js'

const builders = { deb: buildDeb }

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

async function build(out, scratch) {
  const [names, archs, kinds] = [
    choose('only', Object.keys(programs)),
    choose('arch', Object.keys(architectures)),
    choose('format', Object.keys(builders)),
  ]
  const key = releaseKey(repository)
  for (const name of names) {
    const bundled = join(scratch, name, 'bundle')
    const packages = await bundle(repository, programs[name], bundled)
    for (const arch of archs) {
      const binary = fetchNode(arch)
      const release = {
        name,
        arch,
        version,
        epoch: sourceEpoch,
        program: programs[name],
        packages,
        bundled,
        binary,
        key,
      }
      const tree = stage(repository, release, join(scratch, name, arch))
      for (const kind of kinds) console.log(builders[kind](repository, release, tree, out))
    }
  }
  signAll(out, key)
  console.log(`Signed with ${key.path}.`)
}

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
