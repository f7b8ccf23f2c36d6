import { faultsOf, ViewInput } from '@roost/api-types/rest'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import { TextField } from '../form/fields.js'
import { Action, FormBody } from '../form/form.js'
import { RemoveAction } from '../form/remove-action.js'
import { useForm } from '../form/use-form.js'
import { views } from '../hits/views.js'
import type { ViewRecord } from '../hits/views.js'
import { parseSearch } from '../search.js'
import { Loaded } from '../state/loaded.js'
import { Dialog } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { PlainTable } from './plain-table.js'

/** The views of this screen, and a form that saves it as it is shown now. */
export function SavedViews({ onClose }: { readonly onClose: () => void }) {
  const { pathname, searchStr } = useLocation()
  const query = useQuery(views())
  const address = `${pathname}${searchStr}`
  return (
    <Dialog open onClose={onClose} title={t('views.title')} wide>
      <Loaded query={query}>
        {(all) => <ViewTable views={all.filter((view) => pathOf(view) === pathname)} onClose={onClose} />}
      </Loaded>
      <NameForm
        label={t('views.save')}
        initial=""
        save={(name) => rpc.views.create.mutate({ name, address })}
        onSaved={({ name }) => {
          toast(t('views.saved', { name }))
          onClose()
        }}
      />
    </Dialog>
  )
}

function pathOf({ address }: ViewRecord): string {
  return address.split('?', 1)[0] ?? ''
}

interface ViewTableProps {
  readonly views: readonly ViewRecord[]
  readonly onClose: () => void
}

function ViewTable({ views, onClose }: ViewTableProps) {
  const [renamed, setRenamed] = useState(0)
  if (views.length === 0) return <p className="muted">{t('views.none')}</p>
  return (
    <PlainTable
      label={t('views.title')}
      headings={[t('views.name'), { text: t('views.actions'), isHidden: true }]}
      isPart
    >
      {views.map((view) => (
        <tr key={view.id}>
          <th scope="row">
            {renamed === view.id ? (
              <NameForm
                label={t('views.rename', { name: view.name })}
                initial={view.name}
                save={(name) => rpc.views.change.mutate({ id: view.id, change: { name } })}
                onSaved={() => setRenamed(0)}
              />
            ) : (
              <ViewLink view={view} onClose={onClose} />
            )}
          </th>
          <td className="row-actions">
            <Action small onClick={() => setRenamed(renamed === view.id ? 0 : view.id)}>
              {t('views.rename', { name: view.name })}
            </Action>
            <RemoveAction
              topic="views"
              remove={() => rpc.views.remove.mutate({ id: view.id })}
              title={t('views.remove', { name: view.name })}
              action={t('views.remove.action')}
              effect={t('views.remove.effect')}
              done={t('views.removed', { name: view.name })}
            />
          </td>
        </tr>
      ))}
    </PlainTable>
  )
}

/** The same screen with the filters and the order of a view. */
function ViewLink({ view: { name, address }, onClose }: { readonly view: ViewRecord; readonly onClose: () => void }) {
  return (
    <Link to="." search={() => parseSearch(address.split('?').slice(1).join('?'))} onClick={onClose}>
      {name}
    </Link>
  )
}

interface NameFormProps {
  readonly label: string
  readonly initial: string
  readonly save: (name: string) => Promise<ViewRecord>
  readonly onSaved: (view: ViewRecord) => void
}

const Name = ViewInput.pick({ name: true })

function NameForm({ label, initial, save, onSaved }: NameFormProps) {
  const queries = useQueryClient()
  const form = useForm<{ name: string }, ViewRecord>({
    initial: { name: initial },
    check: (values) => faultsOf(Name, values),
    save: ({ name }) => save(name),
    onSaved: (view) => {
      void queries.invalidateQueries({ queryKey: ['views'] })
      onSaved(view)
    },
  })
  const submit = (
    <Action kind="primary" isSubmit isBusy={form.isBusy}>
      {t('ui.save')}
    </Action>
  )
  return (
    <FormBody form={form} label={label} actions={submit}>
      <TextField form={form} name="name" label={label} />
    </FormBody>
  )
}
