import type { ShareRecord } from '../api/queries/shares.js'
import { CopyLine } from '../ui/copy.js'
import { t } from '../words/text.js'

interface MountLinesProps {
  readonly share: { readonly protocol: ShareRecord['protocol']; readonly name: string; readonly id?: number }
  readonly host: string
  readonly needsLogin: boolean
}

/** Where the agent mounts the containers of shares, unless its configuration names another folder. */
const mountDirectory = '/srv/roost/shares'

function quoted(text: string): string {
  return text.includes(' ') ? `'${text}'` : text
}

/** Returns what a client types: the name of the line, and the line. */
function linesOf({ share: { protocol, name, id }, host, needsLogin }: MountLinesProps) {
  if (protocol === 'cifs') {
    const options = needsLogin ? 'username=USER' : 'guest'
    return [
      ['Linux', `mount -t cifs ${quoted(`//${host}/${name}`)} /mnt -o ${options}`],
      ['Windows', `\\\\${host}\\${name}`],
      ['macOS', `smb://${host}/${encodeURIComponent(name)}`],
    ] as const
  }
  const byPath =
    id === undefined ? [] : [[t('shares.mount.kernel'), `mount -t nfs ${host}:${mountDirectory}/${id} /mnt`] as const]
  return [[t('shares.mount.ganesha'), `mount -t nfs ${quoted(`${host}:/${name}`)} /mnt`] as const, ...byPath]
}

/** How clients reach a share. */
export function MountLines(props: MountLinesProps) {
  return (
    <dl className="mount-lines">
      {linesOf(props).map(([name, line]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <CopyLine text={line} label={t('ui.copy')} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
