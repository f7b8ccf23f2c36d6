/**
 * Settings of nfs-ganesha's cache that a share over rclone needs. The folder of a mount never changes its time of change,
 * so that a kept listing would stay for ever; and what ganesha keeps open is not uploaded.
 */
const required = new Map([
  ['Dir_Chunk', '0'],
  ['LRU_Run_Interval', '1'],
  ['FD_LWMark_Percent', '0'],
  ['FD_HWMark_Percent', '1'],
])
const allRequired = [...required].map(([name, value]) => `${name} = ${value};`).join(' ')

/** The block for a ganesha.conf that has none. */
export const ganeshaCacheLines = `
# NFS clients see what others write, and files are uploaded when they are closed; see docs/agent.md.
MDCACHE { ${allRequired} }
`

/** `CacheInode` is the name of earlier versions, which ganesha still reads. */
const blockPattern = /\b(?:MDCACHE|CacheInode)\s*\{[^}]*\}/i

/** Returns the required settings that a ganesha.conf lacks, in its format: `Dir_Chunk = 0;`. */
export function missingCacheSettings(text: string): readonly string[] {
  const block = blockPattern.exec(withoutComments(text))?.[0] ?? ''
  return [...required]
    .filter(([name, value]) => settingPattern(name).exec(block)?.[1] !== value)
    .map(([name, value]) => `${name} = ${value};`)
}

/** Returns the ganesha.conf with all required settings, in its own block where it has one. */
export function withCacheSettings(text: string): string {
  const found = blockPattern.exec(withoutComments(text))
  if (found === null) return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${ganeshaCacheLines}`
  const end = found.index + found[0].length
  let block = text.slice(found.index, end)
  for (const [name, value] of required) {
    const setting = settingPattern(name).exec(withoutComments(block))
    block =
      setting === null
        ? `${block.slice(0, -1)}${/\s\}$/.test(block) ? '' : ' '}${name} = ${value}; }`
        : `${block.slice(0, setting.index)}${name} = ${value};${block.slice(setting.index + setting[0].length)}`
  }
  return `${text.slice(0, found.index)}${block}${text.slice(end)}`
}

function settingPattern(name: string): RegExp {
  return new RegExp(`\\b${name}\\s*=\\s*([^;}\\s]*)\\s*;?`, 'i')
}

/** Replaces comments by blanks, so that positions stay. */
function withoutComments(text: string): string {
  return text.replaceAll(/#.*/g, (comment) => ' '.repeat(comment.length))
}
