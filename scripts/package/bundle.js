import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import { repository } from './version.js'

/** Programs that run in a process or a thread of their own. */
const worker = /-(?:main|worker)\.js$/

/**
 * Bundles an app's program into `folder`, and returns the packages that are in it. A module that refers to a file by its own location
 * finds it in the package: in <root>/dist/… for the app, and in <root>/node_modules/<name>/… for every other package.
 */
export async function bundle({ app, withWorkers }, folder) {
  const home = join(repository, app)
  const bundled = await rolldown({
    cwd: repository,
    input: entries(home, [home, ...withWorkers.map((name) => join(repository, name))]),
    platform: 'node',
    plugins: [
      { name: 'locations', transform: (code, id) => ({ code: withLocations(code, locationOf(id, home)), map: null }) },
    ],
    onLog(level, log) {
      if (level === 'warn') throw new Error(`${app} cannot be bundled: ${log.message}`)
    },
  })
  const { output } = await bundled.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    // The bytes must not depend on where the clone is.
    sourcemapPathTransform: (source, map) => `roost:///${locationOf(join(dirname(map), source), home)}`,
    entryFileNames: '[name].js',
    chunkFileNames: 'dist/chunks/[name]-[hash].js',
    banner: ({ fileName }) => rootBanner(fileName),
  })
  await bundled.close()
  const files = output.flatMap(({ moduleIds = [] }) => moduleIds).filter((id) => existsSync(id))
  const packages = new Map(files.map((file) => [packageOf(file).folder, packageOf(file)]))
  return [...packages.values()].filter(({ folder }) => folder !== home)
}

function entries(home, packages) {
  const workers = packages.flatMap((folder) =>
    readdirSync(join(folder, 'dist'), { recursive: true })
      .filter((file) => worker.test(file))
      .map((file) => join(folder, 'dist', file)),
  )
  const files = [join(home, 'dist/main.js'), ...workers.toSorted()]
  return Object.fromEntries(files.map((file) => [locationOf(file, home).replace(/\.js$/, ''), file]))
}

/** Returns the package of a file: its folder and its manifest. */
function packageOf(file) {
  for (let folder = dirname(file); folder !== '/'; folder = dirname(folder)) {
    const path = join(folder, 'package.json')
    if (!existsSync(path)) continue
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    // A manifest without a name only says how the modules of a folder are written.
    if (manifest.name !== undefined) return { folder, manifest }
  }
  throw new Error(`${file} belongs to no package.`)
}

/** Returns the location of a module in the package, relative to its root. */
function locationOf(file, home) {
  if (!existsSync(file)) return file
  const { folder, manifest } = packageOf(file)
  return join(folder === home ? '' : join('node_modules', manifest.name), relative(folder, file))
}

/** A bundle has one location; its modules had one each. */
function withLocations(code, location) {
  return code
    .replaceAll('import.meta.url', `__roostUrl(${JSON.stringify(location)})`)
    .replaceAll('import.meta.dirname', `__roostPath(${JSON.stringify(dirname(location))})`)
    .replaceAll(/(?<![.\w'"$])__dirname\b/g, `__roostPath(${JSON.stringify(dirname(location))})`)
    .replaceAll(/(?<![.\w'"$])__filename\b/g, `__roostPath(${JSON.stringify(location)})`)
}

/** Defines what `withLocations` calls: the root of the package, seen from a file of the bundle. */
function rootBanner(fileName) {
  const up = '../'.repeat(fileName.split('/').length - 1)
  return `const __roostUrl = (path) => new URL(${JSON.stringify(up || './')} + path, import.meta.url).href, __roostPath = (path) => decodeURIComponent(new URL(__roostUrl(path)).pathname)`
}
