import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import { keys } from '../api/queries/access.js'
import type { KeyRecord } from '../api/queries/access.js'
import { Action } from '../form/form.js'
import { SecretDialog } from '../form/secret.js'
import { noValue } from '../format/numbers.js'
import { Loaded } from '../state/loaded.js'
import { Age, Time } from '../ui/age.js'
import { Confirm, Dialog } from '../ui/dialog.js'
import { Field } from '../ui/field.js'
import { StateMark, Tag } from '../ui/state-mark.js'
import { t } from '../words/text.js'
import { PlainTable } from '../list/plain-table.js'
import { useChange } from '../api/use-change.js'

const tones = { active: 'ok', expired: 'mute', revoked: 'mute' } as const
/** A key that has not been used for so long can be revoked. */
const unusedMs = 90 * 86_400_000

/** Keys of all operators. */
export function Keys() {
  const found = useQuery(keys())
  const headings = (['label', 'operator', 'state', 'created', 'expires', 'lastUsed', 'actions'] as const).map((name) =>
    t(`access.${name}`),
  )
  return (
    <Loaded query={found}>
      {(list) => (
        <PlainTable label={t('access.tab.keys')} headings={headings}>
          {list.map((key) => (
            <Row key={key.id} apiKey={key} />
          ))}
        </PlainTable>
      )}
    </Loaded>
  )
}

/** Returns true for a key that works and is not used. */
function isUnused({ state, created, last_used: used }: KeyRecord, now: number): boolean {
  return state === 'active' && now - Date.parse(used ?? created) > unusedMs
}

function Row({ apiKey }: { readonly apiKey: KeyRecord }) {
  const { id, label, operator_name: name, state, created, expires, last_used: used } = apiKey
  const [asks, setAsks] = useState<'rotate' | 'revoke' | null>(null)
  const [now] = useState(() => Date.now())
  const revoke = useChange(
    'access',
    () => rpc.apiKeys.revoke.mutate({ id }),
    () => setAsks(null),
  )
  return (
    <tr>
      <th scope="row">{label === '' ? t('access.keyNumber', { id: String(id) }) : <b>{label}</b>}</th>
      <td>{name}</td>
      <td>
        <StateMark tone={tones[state]} label={t(`access.state.${state}`)} />
      </td>
      <td>
        <Age at={created} />
      </td>
      <td>{expires === null ? t('access.never') : <Time at={expires} />}</td>
      <td>
        <Age at={used} /> {isUnused(apiKey, now) && <Tag tone="bad">{t('access.unused')}</Tag>}
      </td>
      <td>
        {state === 'active' ? (
          <div className="row-actions">
            <Action small onClick={() => setAsks('rotate')}>
              {t('access.rotate')}
            </Action>
            <Action small onClick={() => setAsks('revoke')}>
              {t('access.revoke')}
            </Action>
          </div>
        ) : (
          noValue
        )}
        {asks === 'rotate' && <Rotate apiKey={apiKey} onClose={() => setAsks(null)} />}
        <Confirm
          open={asks === 'revoke'}
          onClose={() => setAsks(null)}
          onConfirm={() => revoke.mutate(undefined)}
          title={t('access.revoke.title', { name })}
          action={t('access.revoke.action')}
          isBusy={revoke.isPending}
        >
          <p>{t('access.revoke.effect')}</p>
        </Confirm>
      </td>
    </tr>
  )
}

const overlaps = [0, 3_600, 86_400, 604_800] as const

/** Creates a successor; both work for the overlap. */
function Rotate({
  apiKey: { id, operator_name: name },
  onClose,
}: {
  readonly apiKey: KeyRecord
  readonly onClose: () => void
}) {
  const [overlap, setOverlap] = useState(86_400)
  const rotate = useChange('access', () => rpc.apiKeys.rotate.mutate({ id, rotation: { overlap_seconds: overlap } }))
  const title = t('access.rotateOf', { name })
  if (rotate.data !== undefined)
    return <SecretDialog title={title} secrets={[[t('access.key'), rotate.data.credentials]]} onDone={onClose} />
  const actions = (
    <>
      <button type="button" className="btn" onClick={onClose}>
        {t('ui.cancel')}
      </button>
      <Action kind="primary" isBusy={rotate.isPending} onClick={() => rotate.mutate(undefined)}>
        {t('access.rotate')}
      </Action>
    </>
  )
  return (
    <Dialog open onClose={onClose} title={title} actions={actions}>
      <p>{t('access.rotate.effect')}</p>
      <Field label={t('access.overlap')}>
        <select className="input" value={overlap} onChange={({ target }) => setOverlap(Number(target.value))}>
          {overlaps.map((seconds) => (
            <option key={seconds} value={seconds}>
              {t(`access.overlap.${seconds}`)}
            </option>
          ))}
        </select>
      </Field>
    </Dialog>
  )
}
