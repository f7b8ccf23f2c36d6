import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import { nodesAfter } from '../api/queries/nodes.js'
import { FlagField, SelectField, TextField } from '../form/fields.js'
import { DialogActions, FormBody } from '../form/form.js'
import { useForm } from '../form/use-form.js'
import { State } from '../state/state.js'
import { duration } from '../format/time.js'
import { CopyLine } from '../ui/copy.js'
import { Dialog } from '../ui/dialog.js'
import { t } from '../words/text.js'
import { checkToken, lifetimes, tokenInput } from './token-values.js'
import type { TokenValues } from './token-values.js'

interface AddNodeProps {
  readonly cluster: number
  readonly onClose: () => void
}

const initial: TokenValues = {
  uses: '1',
  seconds: '3600',
  gateway: false,
  proxy: false,
  prepare: false,
  storage: false,
}

/** The newest node before a token tells which ones have enrolled since. */
async function createToken(cluster: number, values: TokenValues) {
  const { objects } = await rpc.nodes.list.query({ filters: { cluster }, order_by: ['-id'], limit: 1 })
  const token = await rpc.tokens.create.mutate(tokenInput(cluster, values))
  return { token, newest: objects[0]?.id ?? 0 }
}

type Created = Awaited<ReturnType<typeof createToken>>

/** Creates the line that makes a machine a node, and shows the nodes as they appear. */
export function AddNode({ cluster, onClose }: AddNodeProps) {
  const [created, setCreated] = useState<Created | null>(null)
  return (
    <Dialog open onClose={onClose} title={t('addNode.title')} wide>
      {created === null ? (
        <TokenForm cluster={cluster} onClose={onClose} onCreated={setCreated} />
      ) : (
        <Lines cluster={cluster} created={created} onClose={onClose} />
      )}
    </Dialog>
  )
}

function TokenForm({ cluster, onClose, onCreated }: AddNodeProps & { readonly onCreated: (created: Created) => void }) {
  const form = useForm({
    initial,
    check: checkToken,
    save: (values) => createToken(cluster, values),
    onSaved: onCreated,
  })
  const { gateway, proxy } = form.values
  const actions = <DialogActions isBusy={form.isBusy} onCancel={onClose} submit={t('addNode.create')} />
  return (
    <FormBody form={form} label={t('addNode.title')} actions={actions}>
      <TextField form={form} name="uses" label={t('addNode.uses')} help={t('addNode.uses.help')} />
      <SelectField
        form={form}
        name="seconds"
        label={t('addNode.valid')}
        options={lifetimes.map((seconds) => [String(seconds), duration(seconds)])}
      />
      <FlagField form={form} name="gateway" label={t('addNode.gateway')} help={t('grants.effect.runs_gateway')} />
      <FlagField form={form} name="proxy" label={t('addNode.proxy')} help={t('grants.effect.runs_proxy')} />
      {(gateway || proxy) && (
        <FlagField form={form} name="prepare" label={t('addNode.prepare')} help={t('addNode.prepare.help')} />
      )}
      <FlagField form={form} name="storage" label={t('addNode.storage')} help={t('addNode.storage.help')} />
    </FormBody>
  )
}

interface LinesProps extends AddNodeProps {
  readonly created: Created
}

function Lines({ cluster, created: { token, newest }, onClose }: LinesProps) {
  const { install, lines, warning } = token
  return (
    <>
      {warning !== null && <p className="banner warn">{warning}</p>}
      <p>{t('addNode.run')}</p>
      {(install === null ? lines : [install]).map((line) => (
        <CopyLine key={line} text={line} label={t('ui.copy')} />
      ))}
      <p className="muted small">{t('addNode.once')}</p>
      <Enrolled cluster={cluster} newest={newest} />
      <div className="form-actions">
        <button type="button" className="btn primary" onClick={onClose}>
          {t('ui.done')}
        </button>
      </div>
    </>
  )
}

/** The nodes that have enrolled since the token was created. */
function Enrolled({ cluster, newest }: { readonly cluster: number; readonly newest: number }) {
  const { data: found = [] } = useQuery(nodesAfter(cluster, newest))
  if (found.length === 0) return <p role="status">{t('addNode.waiting')}</p>
  return (
    <ul className="enrolled" aria-label={t('addNode.enrolled')}>
      {found.map(({ id, hostname, state, state_detail: detail }) => (
        <li key={id}>
          <Link to="/nodes/$id/{-$tab}" params={{ id: String(id), tab: undefined }}>
            {hostname}
          </Link>{' '}
          <State state={state} /> {detail !== null && <span className="muted small">{detail}</span>}
        </li>
      ))}
    </ul>
  )
}
