import { type GaneshaBlock, ganeshaFormat } from './format.js'

/** An EXPORT block in the words of what it decides. */
export interface GaneshaExport {
  readonly id: number
  readonly path: string
  readonly tag: string
  readonly pseudo: string
  /** `*` alone: everybody. */
  readonly clients: readonly string[]
  readonly access: string
  readonly squash: string
  readonly privilegedPort: string
  /** Everything that is said besides, as text. */
  readonly rest: string
}

export function readExports(text: string): readonly GaneshaExport[] {
  return ganeshaFormat.parse(text).map(readExport)
}

/** Our exports of a file; of one that was changed beyond reading, none. */
export function exportsOf(text: string): readonly GaneshaExport[] {
  try {
    return readExports(text)
  } catch {
    return []
  }
}

const ownNames = new Set(['Export_Id', 'Path', 'Tag', 'Pseudo', 'Access_Type', 'Squash', 'PrivilegedPort'])

function readExport(block: GaneshaBlock): GaneshaExport {
  const client = block.blocks.find(({ name }) => name === 'CLIENT')
  const rights = client ?? block
  return {
    id: Number(textOf(block, 'Export_Id')),
    path: textOf(block, 'Path'),
    tag: textOf(block, 'Tag'),
    pseudo: textOf(block, 'Pseudo'),
    clients: client?.settings.find(({ name }) => name === 'Clients')?.values.map(({ text }) => text) ?? ['*'],
    access: textOf(rights, 'Access_Type'),
    squash: textOf(rights, 'Squash'),
    privilegedPort: textOf(rights, 'PrivilegedPort'),
    rest: JSON.stringify([
      block.settings.filter(({ name }) => !ownNames.has(name)),
      client !== undefined && textOf(block, 'Access_Type') !== 'NONE',
      client?.settings.filter(({ name }) => !ownNames.has(name) && name !== 'Clients'),
      block.blocks.filter((inner) => inner !== client),
    ]),
  }
}

function textOf(block: GaneshaBlock, setting: string): string {
  return (
    block.settings
      .find(({ name }) => name === setting)
      ?.values.map(({ text }) => text)
      .join(', ') ?? ''
  )
}
