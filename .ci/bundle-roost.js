// Bundles the command line as its package has it, and prints the path of the program: `bundle-roost.js FOLDER`.
// A command of the bundle takes half the time of one that loads the files of a clone.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundle } from '../scripts/package/bundle.js'
import { programs } from '../scripts/package/products.js'
import { repository } from '../scripts/package/version.js'

const folder = resolve(process.argv[2])
const { roost } = programs
await bundle(roost, folder)
for (const { from, to } of roost.folders) cpSync(join(repository, from), join(folder, to), { recursive: true })
cpSync(join(repository, roost.app, 'package.json'), join(folder, 'package.json'))
const program = join(folder, 'bin/roost.js')
mkdirSync(join(folder, 'bin'))
writeFileSync(program, "await import('../dist/main.js')\n")
console.log(program)
