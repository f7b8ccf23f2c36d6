import { spelledSettings } from '../spelled-settings.js'
import { type GaneshaBlock, ganeshaFormat } from './format.js'

/** An EXPORT block in the words of what it decides. */
export interface GaneshaExport {
  readonly id: number
  readonly path: string
  readonly tag: string
  readonly pseudo: string
  /** `*` alone: everybody. */
  readonly clients: readonly string[]
  /** The texts of the settings that the table of shares has, by option. */
  readonly rights: ReadonlyMap<string, string>
  /** Everything that is said besides, as text. */
  readonly rest: string
}

export function readExports(text: string): readonly GaneshaExport[] {
  return ganeshaFormat.parse(text).map(readExport)
}

/** Parses our exports of a file; none where it cannot be read. */
export function exportsOf(text: string): readonly GaneshaExport[] {
  try {
    return readExports(text)
  } catch {
    return []
  }
}

const options = spelledSettings('ganesha').map(({ spelling }) => spelling.option)
const ownNames = new Set(['Export_Id', 'Path', 'Tag', 'Pseudo', ...options])

function readExport(block: GaneshaBlock): GaneshaExport {
  const client = block.blocks.find(({ name }) => name === 'CLIENT')
  const rights = client ?? block
  return {
    id: Number(textOf(block, 'Export_Id')),
    path: textOf(block, 'Path'),
    tag: textOf(block, 'Tag'),
    pseudo: textOf(block, 'Pseudo'),
    clients: client?.settings.find(({ name }) => name === 'Clients')?.values.map(({ text }) => text) ?? ['*'],
    rights: new Map(options.filter((name) => has(rights, name)).map((name) => [name, textOf(rights, name)])),
    rest: JSON.stringify([
      block.settings.filter(({ name }) => !ownNames.has(name)),
      client !== undefined && textOf(block, 'Access_Type') !== 'NONE',
      client?.settings.filter(({ name }) => !ownNames.has(name) && name !== 'Clients') ?? [],
      block.blocks.filter((inner) => inner !== client),
    ]),
  }
}

function has(block: GaneshaBlock, setting: string): boolean {
  return block.settings.some(({ name }) => name === setting)
}

function textOf(block: GaneshaBlock, setting: string): string {
  return (
    block.settings
      .find(({ name }) => name === setting)
      ?.values.map(({ text }) => text)
      .join(', ') ?? ''
  )
}
