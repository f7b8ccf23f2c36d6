import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { shareSettingRows } from '@roost/api-types/rest'
import { expect, it } from 'vitest'

const path = fileURLToPath(new URL('../../docs/api.md', import.meta.url))
const protocolNames = { every: 'all', nfs: 'NFS', cifs: 'CIFS' }

/** The table of share settings, as the rows of `share-settings.ts` make it. */
function table(): string {
  const rows = shareSettingRows.map(([name, { default: absent, protocol, text }]) => {
    const shown = absent === '' ? 'empty' : `\`${String(absent)}\``
    return `| \`${name}\` | ${shown} | ${protocolNames[protocol]} | ${text} |`
  })
  return ['| setting | default | protocol | |', '|---|---|---|---|', ...rows].join('\n')
}

it('the table of share settings in docs/api.md is that of share-settings.ts (write it with -u)', async () => {
  const text = await readFile(path, 'utf8')
  const section = /(?<=<!-- share settings -->\n).*?(?=<!-- end -->)/s
  expect(text).toMatch(section)
  await expect(text.replace(section, () => `${table()}\n`)).toMatchFileSnapshot(path)
})
