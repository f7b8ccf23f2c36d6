import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Server } from '../ui/icons.js'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import { errorText } from '../api/error-text.js'
import { useMayChange } from '../api/session-context.js'
import { Empty } from '../ui/empty.js'
import { Field } from '../ui/field.js'
import { t } from '../words/text.js'

/** A control plane without a cluster has one thing to do. */
export function FirstCluster() {
  const queries = useQueryClient()
  const mayChange = useMayChange()
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () => rpc.clusters.create.mutate({ name: name.trim() }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['clusters'] }),
  })
  return (
    <section className="card">
      <Empty icon={Server} title={t('overview.noCluster')} next={t('overview.noCluster.next')}>
        <form
          className="first-cluster"
          onSubmit={(event) => {
            event.preventDefault()
            create.mutate()
          }}
        >
          <Field label={t('overview.newCluster')} error={create.error === null ? undefined : errorText(create.error)}>
            <input
              className="input"
              required
              maxLength={64}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          </Field>
          <button
            type="submit"
            className="btn primary"
            disabled={!mayChange || create.isPending}
            title={mayChange ? undefined : t('ui.readOnly')}
          >
            {t('overview.addCluster')}
          </button>
        </form>
      </Empty>
    </section>
  )
}
