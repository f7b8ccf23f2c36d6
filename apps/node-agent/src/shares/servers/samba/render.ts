import { declareFile, type DeclaredFile } from '../declared-file.js'
import { type CifsShare, clientText } from '../validate-share.js'
import { sambaFormat, type SambaSection } from './format.js'

/** Files that Macintoshes leave beside the real ones. */
export const appleDoubles = '/._*/.DS_Store/.AppleDouble/'
export const sambaSharesFile = '/etc/samba/roost.d/shares.conf'

/** Samba: a section a share, and nothing that is not a share's own. */
export function renderSamba(shares: readonly CifsShare[], generation: number): DeclaredFile {
  return declareFile(sambaSharesFile, sambaFormat, shares.map(sectionOf), generation)
}

function sectionOf(share: CifsShare): SambaSection {
  const accounts = [...share.validUsers, ...share.validGroups.map((group) => `@${group}`)]
  const hosts = [...new Set(share.clients.map((client) => clientText(client, '.')))]
  return {
    name: share.name,
    settings: [
      ['path', share.path],
      ['read only', yesNo(!share.isWritable)],
      ['browseable', yesNo(share.isBrowseable)],
      ['guest ok', yesNo(share.isForGuests)],
      ['create mask', share.createMask],
      ['directory mask', share.directoryMask],
      ...listed('force user', share.writesAs === null ? [] : [share.writesAs]),
      ...listed('valid users', accounts),
      ...listed('hosts allow', hosts),
      ...listed('veto files', share.hidesAppleDoubles ? [appleDoubles] : []),
    ],
  }
}

function yesNo(flag: boolean): string {
  return flag ? 'yes' : 'no'
}

/** An option that is empty means everybody or nobody, by option: it is left out. */
function listed(option: string, words: readonly string[]): readonly (readonly [string, string])[] {
  return words.length === 0 ? [] : [[option, words.join(' ')]]
}
