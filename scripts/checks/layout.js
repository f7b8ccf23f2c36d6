// Fails where a folder of product code has more than 20 files, where folders or files import each other, and where a file
// in a folder of an app imports its main.ts, app.ts or server.ts. In the control plane also where a feature imports the
// store of another one, where a service or a store imports http/, and where http/ or agents/ import a feature. Imports of
// types count.
// A file directly in an app's src/ is an entry point, which counts as a folder of its own.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const maxFiles = 20
const packages = [
  'apps/console/src',
  'apps/control-plane/src',
  'apps/node-agent/src',
  'packages/api-types/src',
  'packages/capacity-core/src',
  'packages/command-line/src',
  'packages/failpoints/src',
  'packages/history/src',
  'packages/runtime/src',
  'packages/testing/src',
  'prisma',
]
const imports = /(?:\bfrom|\bimport\()\s*'(\.[^']+)'/g

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...packages], {
  encoding: 'utf8',
  maxBuffer: 1 << 26,
})
  .trim()
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.ts$|\/generated\//.test(file) && existsSync(file))
const known = new Set(files)

function folderOf(file) {
  return packages.includes(dirname(file)) && file.startsWith('apps/') ? file : dirname(file)
}

/** Returns the file that an import names, which ends in .js there. */
function sourceOf(path) {
  const typed = path.replace(/\.js$/, '.ts')
  return known.has(`${typed}x`) ? `${typed}x` : typed
}

/** Each import of a file of ours: from, to. */
const imported = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(imports)].map(([, path]) => [
    file,
    sourceOf(normalize(join(dirname(file), path))),
  ]),
)

/** Returns the imports between folders or files: from → to → the lines that report them. */
function readImports(nodeOf) {
  const graph = new Map()
  for (const [file, target] of imported) {
    const [from, to] = [nodeOf(file), nodeOf(target)]
    if (from === to) continue
    if (!graph.has(from)) graph.set(from, new Map())
    const targets = graph.get(from)
    targets.set(to, [...(targets.get(to) ?? []), `${file} imports ${target}`])
  }
  return graph
}

/** Returns one circle, or undefined. */
function findCircle(graph) {
  const done = new Set()
  const path = []
  const visit = (folder) => {
    const at = path.indexOf(folder)
    if (at >= 0) return [...path.slice(at), folder]
    if (done.has(folder)) return undefined
    path.push(folder)
    for (const next of graph.get(folder)?.keys() ?? []) {
      const circle = visit(next)
      if (circle !== undefined) return circle
    }
    path.pop()
    done.add(folder)
    return undefined
  }
  for (const folder of graph.keys()) {
    const circle = visit(folder)
    if (circle !== undefined) return circle
  }
  return undefined
}

const counts = new Map()
for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
for (const [folder, count] of counts)
  if (count > maxFiles) {
    process.stderr.write(`${folder} has ${count} files. Split it: a folder has at most ${maxFiles}.\n`)
    process.exitCode = 1
  }

function reportCircle(graph, remedy) {
  const circle = findCircle(graph) ?? []
  if (circle.length === 0) return
  process.exitCode = 1
  process.stderr.write(`${remedy}\n`)
  for (let i = 0; i + 1 < circle.length; i += 1)
    for (const line of graph.get(circle[i]).get(circle[i + 1])) process.stderr.write(`  ${line}\n`)
}

const byFile = readImports((file) => file)
reportCircle(
  readImports(folderOf),
  'Folders import each other. Move what both need into a folder that imports neither:',
)
reportCircle(byFile, 'Files import each other. Move the type that both need into a file of its own:')

for (const [file, targets] of byFile)
  for (const target of targets.keys())
    if (/^apps\/[^/]+\/src\/(main|app|server)\.ts$/.test(target) && dirname(file) !== dirname(target)) {
      process.exitCode = 1
      process.stderr.write(`${file} imports ${target}. Pass it what it needs from there.\n`)
    }

const controlPlane = 'apps/control-plane/src/'
/** Builds the features, so it knows all of them. */
const composition = /^(?:[\w-]+\.ts|(?:context|cli)\/.*)$/
/** Serves HTTP: its own folders, and the routes, views and streams of the features. */
const transport = /^(?:[\w-]+\.ts|(?:http|rpc|context)\/.*|[\w-]+\/(?:.*-)?(?:resource|routes?|views|streams)\.ts)$/

/** What http/ and agents/ may import: every other folder is a feature, or builds them. */
const foundation = /^(?:config|database|lifecycle|secrets|services|tls)\//

/** A feature is a folder with those in it. */
const featureOf = (path) => path.split('/', 1)[0]

/** Returns the rule that an import breaks, or undefined. */
function brokenRule(from, to) {
  if (/^(?!database\/).*\/(?:.*-)?store\.ts$/.test(to) && featureOf(from) !== featureOf(to) && !composition.test(from))
    return 'A feature imports the store of another one. Call its service, or pass a function from context/:'
  if (to.startsWith('http/') && !transport.test(from))
    return 'Services and stores know no HTTP. Move what both need to services/:'
  return brokenLayer(from, to)
}

/** Returns the rule that an import of http/ or agents/ breaks, or undefined. */
function brokenLayer(from, to) {
  const [layer = ''] = /^(?:http|agents)\//.exec(from) ?? []
  if (layer !== '' && !to.startsWith(layer) && !foundation.test(to))
    return `${layer} knows no feature. Move what both need to services/, or pass a function from context/:`
  return undefined
}

for (const [file, target] of imported) {
  if (!file.startsWith(controlPlane) || !target.startsWith(controlPlane)) continue
  const rule = brokenRule(file.slice(controlPlane.length), target.slice(controlPlane.length))
  if (rule === undefined) continue
  process.exitCode = 1
  process.stderr.write(`${rule}\n  ${file} imports ${target}\n`)
}
