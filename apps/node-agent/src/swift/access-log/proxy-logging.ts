import { posix } from 'node:path'
import type { Machine } from '../../machine/machine.js'
import { parseCasedIni } from '../config/ini.js'
import { findProxies } from '../users/proxy-process.js'
import { folderOf } from '../users/location.js'
import { pipelineOf } from '../users/proxy-settings.js'

export interface ConfigText {
  readonly path: string
  readonly text: string
}

/** How a proxy of this node writes its access log. */
export interface ProxyLogging {
  /** The files that it merges, in its order. */
  readonly files: readonly ConfigText[]
  /** The section of its access log, such as `filter:proxy-logging`. */
  readonly section: string
  /** Null for Swift's own template. */
  readonly template: string | null
  readonly servesS3: boolean
}

/** Reads the logging of every proxy that runs here, else of the one that is configured here. Throws when a file cannot be read. */
export function readProxyLogging(machine: Machine, kernel: Machine, swiftDirectory: string): readonly ProxyLogging[] {
  const running = new Set(findProxies(kernel).map(({ configuration }) => configuration.replace(/\/+$/, '')))
  const ofRunning = [...running].map((path) => readFiles(machine, path)).filter((files) => files.length > 0)
  return (ofRunning.length > 0 ? ofRunning : [configured(machine, swiftDirectory)]).flatMap(
    (files) => loggingOf(files) ?? [],
  )
}

function configured(machine: Machine, swiftDirectory: string): readonly ConfigText[] {
  const folder = readFiles(machine, folderOf(swiftDirectory))
  return folder.length > 0 ? folder : readFiles(machine, `${swiftDirectory}/proxy-server.conf`)
}

/** Reads a configuration of Swift, of which a folder is one: every `*.conf` in it, in order. */
export function readFiles(machine: Machine, path: string): readonly ConfigText[] {
  if (!path.startsWith('/')) return []
  const names = path.endsWith('.conf') ? [] : machine.list(path).filter((name) => /^[^.].*\.conf$/.test(name))
  if (names.length === 0 && path.endsWith('.d')) return []
  const paths = names.length > 0 ? names.map((name) => `${path}/${name}`) : [path]
  return paths.flatMap((file) => {
    const text = machine.read(file)
    return text === undefined ? [] : [{ path: targetOf(machine, file), text }]
  })
}

/** The file to change is the one behind a link, as docs/proxies.md makes one in the folder. */
function targetOf(machine: Machine, file: string): string {
  const target = machine.link(file)
  return target === undefined ? file : posix.resolve(posix.dirname(file), target)
}

const setting = 'log_msg_template'

/** Reads the logging of a proxy that merges these files; undefined for one that logs no requests. */
export function loggingOf(files: readonly ConfigText[]): ProxyLogging | undefined {
  const ini = parseCasedIni(...files.map(({ text }) => text))
  const pipeline = pipelineOf(ini)
  const filterOf = (name: string) => ini.get(`filter:${name}`)?.get('use') ?? ''
  const name = pipeline.find((entry) => /[#:]proxy_logging/.test(filterOf(entry)))
  if (name === undefined) return undefined
  const section = `filter:${name}`
  // A filter overrides a default with `set` alone.
  const own = ini.get(section)?.get(`set ${setting}`)
  const found = own ?? ini.get('DEFAULT')?.get(setting) ?? ini.get(section)?.get(setting)
  return {
    files,
    section,
    template: found === undefined ? null : found.replaceAll('%%', '%'),
    servesS3: pipeline.some((entry) => /[#:](?:s3api|swift3)/.test(filterOf(entry))),
  }
}

/** Returns a diff that sets the template in the file that has it, else in the first one with the section. */
export function templateDiff({ files, section }: ProxyLogging, template: string): string {
  const value = template.replaceAll('%', '%%')
  const hunks = files.map(({ path, text }) => ({ path, ...findLines(text.split('\n'), section) }))
  const found = hunks.find(({ template: at }) => at !== null) ?? hunks.find(({ header }) => header !== null)
  if (found === undefined) return ''
  const file = `--- ${found.path}\n+++ ${found.path}\n`
  if (found.template !== null) {
    const { at, old } = found.template
    const key = (old[0] ?? setting).split(/\s*[=:]/)[0] ?? setting
    const removed = old.map((line) => `-${line}\n`).join('')
    return `${file}@@ -${at},${old.length} +${at},1 @@\n${removed}+${key} = ${value}\n`
  }
  const { at, old } = found.header as Lines
  return `${file}@@ -${at},1 +${at},2 @@\n ${old[0]}\n+${setting} = ${value}\n`
}

interface Lines {
  /** The number of the first one, from 1. */
  readonly at: number
  readonly old: readonly string[]
}

/** Finds the lines of the section's header and of the template, which may be continued on indented lines. */
function findLines(lines: readonly string[], section: string): { header: Lines | null; template: Lines | null } {
  let current = ''
  let header: Lines | null = null
  let template: Lines | null = null
  for (const [i, line] of lines.entries()) {
    const name = /^\[([^\]]+)\]/.exec(line)?.[1]
    current = name ?? current
    if (name === section) header ??= { at: i + 1, old: [line] }
    const isHere = current === section || current === 'DEFAULT'
    if (isHere && new RegExp(String.raw`^\s*(set\s+)?${setting}\s*[=:]`).test(line)) {
      const rest = lines.slice(i + 1)
      const end = rest.findIndex((next) => !/^\s+\S/.test(next))
      template = { at: i + 1, old: [line, ...rest.slice(0, end < 0 ? rest.length : end)] }
    }
  }
  return { header, template }
}
