import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { hostnames } from '../api/queries/system.js'
import type { UpgradeTarget } from '../api/queries/system.js'
import { idIn } from '../api/uri.js'
import { noValue } from '../format/numbers.js'
import { PlainTable } from '../list/plain-table.js'
import { StateMark } from '../ui/state-mark.js'
import type { Tone } from '../ui/tone.js'
import { t, tOr } from '../words/text.js'

const tones: Readonly<Record<UpgradeTarget['state'], Tone>> = {
  waiting: 'mute',
  upgrading: 'warn',
  installed: 'ok',
  offline: 'warn',
  refused: 'bad',
  returned: 'bad',
  failed: 'bad',
  skipped: 'mute',
}

/** More rows than these are not read: what went wrong comes first. */
const mostRows = 200

/** The nodes of an upgrade, those with a problem first, then by wave. */
export function Waves({ targets }: { readonly targets: readonly UpgradeTarget[] }) {
  const rows = targets.toSorted((one, other) => rank(one) - rank(other) || one.wave - other.wave).slice(0, mostRows)
  const { data: names } = useQuery(hostnames(rows.map(({ node }) => idIn(node))))
  const headings = [t('nodes.host'), t('upgrades.wave'), t('nodes.state'), t('upgrades.from'), t('job.message')]
  return (
    <>
      <PlainTable label={t('upgrades.waves')} headings={headings}>
        {rows.map(({ node, wave, state, from_version: from, message }) => (
          <tr key={node}>
            <th scope="row">
              <Link to="/nodes/$id/{-$tab}" params={{ id: String(idIn(node)), tab: undefined }}>
                {names?.get(idIn(node)) ?? t('shares.node', { id: String(idIn(node)) })}
              </Link>
            </th>
            <td>{waveText(wave)}</td>
            <td>
              <StateMark tone={tones[state]} label={tOr(`upgrade.${state}`)} />
            </td>
            <td className="mono">{from || noValue}</td>
            <td>{message}</td>
          </tr>
        ))}
      </PlainTable>
      {targets.length > mostRows && (
        <p className="muted small">{t('upgrades.more', { count: targets.length - mostRows })}</p>
      )}
    </>
  )
}

function rank({ state }: UpgradeTarget): number {
  return tones[state] === 'bad' ? 0 : state === 'upgrading' ? 1 : 2
}

function waveText(wave: number): string {
  if (wave === 0) return noValue
  return wave === 1 ? t('upgrades.canaries') : String(wave)
}
