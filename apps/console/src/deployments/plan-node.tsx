import type { NodePlan } from '../api/queries/deployments.js'
import { Diff } from '../ui/diff.js'
import { Tag } from '../ui/state-mark.js'
import type { Tone } from '../ui/tone.js'
import { t, tOr } from '../words/text.js'

type Daemon = NodePlan['daemons'][number]

const tones: Readonly<Record<Daemon['action'], Tone | 'info' | 'mute'>> = {
  none: 'mute',
  reload: 'info',
  'close-share': 'bad',
  restart: 'bad',
}

/** What one node would do: its servers, the sessions that end, its files. */
export function PlanNode({ plan, name }: { readonly plan: NodePlan; readonly name: string }) {
  const { files, daemons, mounts, notes, error } = plan
  const lost = daemons.flatMap((daemon) => daemon.sessions_lost)
  return (
    <section className="plan-node" aria-label={name}>
      <header>
        <h2>{name}</h2>
        {daemons.map(({ daemon, action }) => (
          <Tag key={daemon} tone={tones[action]}>
            {daemon}: {tOr(`deploy.action.${action}`)}
          </Tag>
        ))}
        <span className="muted">
          {lost.length === 0 ? t('deploy.noSession') : t('deploy.sessions', { count: lost.length })}
        </span>
      </header>
      {error !== null && <p className="banner bad">{error}</p>}
      {lost.length > 0 && <Lost sessions={lost} />}
      {files.map(({ path, change, diff }) => (
        <details key={path} open>
          <summary>
            <code>{path}</code> <Tag>{tOr(`deploy.change.${change}`)}</Tag>
          </summary>
          <Diff text={diff} label={path} />
        </details>
      ))}
      <Mounts label={t('deploy.mounted')} paths={mounts.started} />
      <Mounts label={t('deploy.unmounted')} paths={mounts.stopped} />
      {notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
      {error === null && files.length === 0 && lost.length === 0 && <p className="muted">{t('deploy.noFile')}</p>}
    </section>
  )
}

/** The clients that lose their session. */
function Lost({ sessions }: { readonly sessions: Daemon['sessions_lost'] }) {
  return (
    <ul className="lost">
      {sessions.map(({ share, client, user }, i) => (
        // eslint-disable-next-line react/no-array-index-key -- a client may have several sessions of a share
        <li key={i}>
          <code>{client}</code>
          <span>{user ?? t('deploy.guest')}</span>
          <span className="muted">{t('deploy.onShare', { share })}</span>
        </li>
      ))}
    </ul>
  )
}

function Mounts({ label, paths }: { readonly label: string; readonly paths: readonly string[] }) {
  if (paths.length === 0) return null
  return (
    <p className="muted">
      {label}: <code>{paths.join(', ')}</code>
    </p>
  )
}

/** What would change in the identity service of a cluster. */
export function PlanIdentity({
  identity,
}: {
  readonly identity: NonNullable<import('../api/queries/deployments.js').JobPlan['identity']>
}) {
  return (
    <section className="plan-node" aria-label={t('deploy.identity')}>
      <header>
        <h2>{t('deploy.identity')}</h2>
      </header>
      {identity.objects.length === 0 && <p className="muted">{t('deploy.nothing')}</p>}
      <ul className="plan-objects">
        {identity.objects.map(({ type, name, change, detail }) => (
          <li key={`${type} ${name} ${change} ${detail}`}>
            <Tag>{tOr(`deploy.change.${change}`)}</Tag> {type} <b>{name}</b> <span className="muted">{detail}</span>
          </li>
        ))}
      </ul>
      {identity.notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
    </section>
  )
}
