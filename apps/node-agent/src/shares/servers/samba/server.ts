import type { Machine } from '../../../machine/machine.js'
import { describeFailure, type RunCommand } from '../../../machine/run-command.js'
import { readPrograms } from '../../../machine/running-programs.js'
import { adoptSections } from './adopt.js'
import { accessOf, differenceFrom, type PrintedSections, readBySamba, sectionsOf } from './config.js'
import { sambaFormat, type SambaSection } from './format.js'
import { sambaSessionsLost } from './sessions.js'
import { sambaSharesFile } from './render.js'
import type { ShareServer } from '../share-server.js'

export interface ServerOptions {
  readonly machine: Machine
  readonly run: RunCommand
}

export const smbConf = '/etc/samba/smb.conf'
/** The line that makes it read our file. */
export const sambaLines = `
# Shares that Roost deploys; see docs/agent.md.
[global]
    include = ${sambaSharesFile}
`
const includePattern = /^[ \t]*include[ \t]*=[ \t]*\/etc\/samba\/roost\.d\/shares\.conf[ \t]*$/gm
const deadlineMs = 10_000

/** Says whether the machine's smb.conf reads our file. */
export function readsOurSections(text: string): boolean {
  return text.match(includePattern) !== null
}

/** Returns smb.conf without the line that makes it read our file. */
export function withoutOurSections(text: string): string {
  return text.replace(sambaLines, '').replace(includePattern, '')
}

/** Controls Samba: our sections are in a file that smb.conf includes, beside the operator's. */
export function createSambaServer({ machine, run }: ServerOptions): ShareServer {
  const readMain = () => machine.read(smbConf) ?? ''
  /** Reads the machine's configuration with this text instead of our file. */
  const readWith = (text: string) =>
    readBySamba(
      readMain().replace(includePattern, () => `\n${text}`),
      run,
    )
  return {
    protocol: 'cifs',
    daemon: 'smbd',
    file: sambaSharesFile,
    keepsPermissions: true,
    endsWithEmptyFile: false,
    isRunning: () => readPrograms(machine).has('smbd'),
    async requireNoConflict(text) {
      if (!readsOurSections(readMain()))
        throw new Error(`${smbConf} does not read ${sambaSharesFile}: run \`roost-agent gateway prepare\` on the node.`)
      requireNoneByHand(await readWith(''), sectionsOf(text))
    },
    async check(text) {
      const difference = differenceFrom(await readWith(text), sambaFormat.parse(text))
      if (difference !== undefined) throw new Error(`${sambaSharesFile}: ${difference}.`)
    },
    async reload() {
      await control(run, ['smbd', 'reload-config'])
      // Messages are taken in their order: the answer comes after the reload.
      await control(run, ['smbd', 'ping'])
    },
    async faults(text) {
      const sections = sambaFormat.parse(text)
      if (!readPrograms(machine).has('smbd')) return sections.length === 0 ? [] : ['Samba is not running: start smbd.']
      const deployed = machine.read(sambaSharesFile) ?? ''
      const difference = differenceFrom(await readWith(deployed), sections)
      return [...(difference === undefined ? [] : [`${difference}.`]), ...(await unlisted(run, sections))]
    },
    sessionsLost: (before, after, options) => sambaSessionsLost(sectionsOf(before), sectionsOf(after), options, run),
    async release(text, paths) {
      for (const section of sectionsOf(text))
        if (paths.has(accessOf(section).path ?? '')) await control(run, ['smbd', 'close-share', section.name])
    },
    // The next client that asks finds the folder as it is then.
    restore: async () => {},
    adopt: adoptSections,
    foldersOf: (text) => sectionsOf(text).flatMap((section) => accessOf(section).path ?? []),
    notes: () => [],
  }
}

function requireNoneByHand(theirs: PrintedSections, ours: readonly SambaSection[]): void {
  const names = new Map([...theirs.keys()].map((name) => [name.toLowerCase(), name]))
  const both = ours.find(({ name }) => names.has(name.toLowerCase()))
  if (both === undefined) return
  throw new Error(
    `The section [${names.get(both.name.toLowerCase())}] of ${smbConf} was written manually. Remove that section, or rename the share '${both.name}'.`,
  )
}

async function control(run: RunCommand, args: readonly string[]): Promise<void> {
  const result = await run('smbcontrol', args, { deadlineMs })
  if (result.exitCode !== 0 || /^No replies received/m.test(result.stdout))
    throw new Error(`smbcontrol ${args.join(' ')}: ${describeFailure(result)}.`)
}

/** Compares the shares that Samba lists, where it answers anonymous clients. */
async function unlisted(run: RunCommand, sections: readonly SambaSection[]): Promise<readonly string[]> {
  const result = await run('smbclient', ['-g', '-N', '-L', '127.0.0.1'], { deadlineMs })
  const shown = new Set([...result.stdout.matchAll(/^Disk\|([^|]*)\|/gm)].map(([, name]) => name))
  if (result.exitCode !== 0 || shown.size === 0) return []
  const browseable = sections.filter(({ settings }) =>
    settings.some(([option, value]) => option === 'browseable' && value === 'yes'),
  )
  return browseable.filter(({ name }) => !shown.has(name)).map(({ name }) => `Samba does not list the share '${name}'.`)
}
