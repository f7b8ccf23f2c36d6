import type { ShareSettingName } from '@roost/api-types/agent'
import { declareFile, type DeclaredFile } from '../declared-file.js'
import { type OptionText, spelledSettings, writeSetting } from '../spelled-settings.js'
import { type CifsShare, clientText } from '../validate-share.js'
import { sambaFormat, type SambaSection } from './format.js'

export const sambaSharesFile = '/etc/samba/roost.d/shares.conf'

/** Renders a section for each share, and nothing else. */
export function renderSamba(shares: readonly CifsShare[], generation: number): DeclaredFile {
  return declareFile(sambaSharesFile, sambaFormat, shares.map(sectionOf), generation)
}

const spelled = spelledSettings('samba')
/** 0.1.0 wrote this option last: in the same order, an upgrade changes no file. */
const isLast = (name: ShareSettingName) => name === 'no_apple_doubles'

function sectionOf(share: CifsShare): SambaSection {
  const write = (settings: typeof spelled) => settings.flatMap((setting) => writeSetting(setting, share.settings))
  const accounts = [...share.validUsers, ...share.validGroups.map((group) => `@${group}`)]
  const hosts = [...new Set(share.clients.map((client) => clientText(client, '.')))]
  return {
    name: share.name,
    settings: [
      ['path', share.path],
      ...write(spelled.filter(({ name }) => !isLast(name))),
      ...listed('force user', share.writesAs === null ? [] : [share.writesAs]),
      ...listed('valid users', accounts),
      ...listed('hosts allow', hosts),
      ...write(spelled.filter(({ name }) => isLast(name))),
    ],
  }
}

/** An empty option would permit every client or none, depending on the option: it is left out. */
function listed(option: string, items: readonly string[]): readonly OptionText[] {
  return items.length === 0 ? [] : [[option, items.join(' ')]]
}
