import { certificateWarningSeconds, oldestBackupSeconds } from '@roost/api-types/checks'
import type { ReactNode } from 'react'
import type { SystemRecord } from '../api/queries/system.js'
import { bytes, count, noValue } from '../format/numbers.js'
import { Age, Time } from '../ui/age.js'
import { Card, Facts } from '../ui/card.js'
import { useNow } from '../ui/clock.js'
import { Meter } from '../ui/meter.js'
import { StateMark } from '../ui/state-mark.js'
import { t } from '../words/text.js'

const dayMs = 86_400_000

/** Version and database, disk and backup, certificate, agents. */
export function SystemParts({ system }: { readonly system: SystemRecord }) {
  const { version, started, database, history, agents, key_file_fault: fault } = system
  return (
    <>
      {fault !== null && <p className="banner bad">{fault}</p>}
      {database.is_disk_full && <p className="banner bad">{t('system.databaseFull')}</p>}
      <div className="system-grid">
        <Card title={t('system.software')}>
          <Facts
            facts={[
              [t('system.version'), version],
              [t('system.started'), <Age key="s" at={started} />],
              [t('system.postgres'), database.version],
              [t('system.where'), t(database.is_embedded ? 'system.embedded' : 'system.elsewhere')],
              [t('system.databaseSize'), bytes(database.size_bytes)],
              [t('system.history'), historyText(history)],
            ]}
          />
        </Card>
        <Card title={t('system.safety')}>
          <Facts
            facts={[
              [t('system.disk'), <Disk key="d" disk={system.disk} />],
              [t('system.backup'), <Backup key="b" at={system.last_backup} />],
              [t('system.keyFile'), <KeyFile key="k" isFit={fault === null} />],
              ...certificateFacts(system.certificate),
            ]}
          />
        </Card>
        <Card title={t('system.agents')}>
          <Facts
            facts={[
              [t('system.connected'), count(agents.connected)],
              [t('system.parked'), count(agents.parked)],
              ...agents.versions.map(({ version: of, nodes }): readonly [string, ReactNode] => [
                of === null ? t('system.neverConnected') : t('system.agentVersion', { version: of }),
                t('system.nodes', { count: nodes }),
              ]),
            ]}
          />
        </Card>
      </div>
    </>
  )
}

function historyText({ is_on: isOn, size_bytes: size, max_bytes: max, is_paused: isPaused }: SystemRecord['history']) {
  if (!isOn) return t('system.historyOff')
  const used = t('overview.of', { part: bytes(size), total: bytes(max) })
  return isPaused ? <StateMark tone="warn" label={t('system.historyPaused')} /> : used
}

function Disk({ disk }: Pick<SystemRecord, 'disk'>) {
  if (disk === null) return noValue
  const { available_bytes: free, total_bytes: total } = disk
  const pct = total === 0 ? 0 : (1 - free / total) * 100
  const text = t('system.free', { part: bytes(free), total: bytes(total) })
  return (
    <span className="system-disk">
      {text}
      <Meter slim pct={pct} label={text} />
    </span>
  )
}

function Backup({ at }: { readonly at: string | null }) {
  const now = useNow()
  if (at === null) return <StateMark tone="warn" label={t('system.noBackup')} />
  const isOld = now - Date.parse(at) > oldestBackupSeconds * 1_000
  return isOld ? (
    <StateMark tone="warn" label={t('system.oldBackup', { days: Math.floor((now - Date.parse(at)) / dayMs) })} />
  ) : (
    <Age at={at} />
  )
}

function KeyFile({ isFit }: { readonly isFit: boolean }) {
  return <StateMark tone={isFit ? 'ok' : 'bad'} label={t(isFit ? 'system.keyFits' : 'system.keyUnfit')} />
}

function certificateFacts(certificate: SystemRecord['certificate']): readonly (readonly [string, ReactNode])[] {
  if (certificate === null) return [[t('system.certificate'), t('system.noTls')]]
  const { valid_until: end, is_own: isOwn, authority_valid_until: authority } = certificate
  return [
    [t('system.certificate'), <Ends key="c" at={end} />],
    [t('system.issuer'), t(isOwn ? 'system.issuedByRoost' : 'system.issuedByOthers')],
    ...(authority === null ? [] : [[t('system.authority'), <Time key="a" at={authority} />] as const]),
  ]
}

/** When something ends, marked when that is soon. */
function Ends({ at }: { readonly at: string }) {
  const now = useNow()
  const isSoon = Date.parse(at) - now < certificateWarningSeconds * 1_000
  return (
    <span>
      {isSoon && <StateMark tone="warn" label={t('system.endsSoon')} />} <Time at={at} />
    </span>
  )
}
