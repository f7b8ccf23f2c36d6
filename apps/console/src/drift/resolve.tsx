import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import { errorText } from '../api/error-text.js'
import { Action } from '../form/form.js'
import { Confirm } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { Problem } from '../ui/problem.js'
import { t } from '../words/text.js'

interface ResolveProps {
  readonly node: { readonly id: number; readonly hostname: string }
  readonly items: number
  /** The first difference that fields of shares cannot express. */
  readonly notAdoptable: string | undefined
}

/** The two ways out of drift, each with consent: both may end sessions. */
export function Resolve({ node: { id, hostname }, items, notAdoptable }: ResolveProps) {
  const queries = useQueryClient()
  const [asks, setAsks] = useState<'adopt' | 'reapply' | null>(null)
  const resolve = useMutation({
    mutationFn: (action: 'adopt' | 'reapply') => rpc.drift.resolve.mutate({ id, action }),
    onSuccess: async (_drift, action) => {
      setAsks(null)
      toast(t(`drift.${action}.done`, { node: hostname }))
      await queries.invalidateQueries()
    },
  })
  const close = () => {
    setAsks(null)
    resolve.reset()
  }
  return (
    <div className="form-actions">
      <Action kind="primary" onClick={() => setAsks('reapply')}>
        {t('drift.reapply')}
      </Action>
      <Action
        reason={notAdoptable === undefined ? undefined : t('drift.cannotAdopt', { subject: notAdoptable })}
        onClick={() => setAsks('adopt')}
      >
        {t('drift.adopt')}
      </Action>
      {asks !== null && (
        <Confirm
          open
          onClose={close}
          onConfirm={() => resolve.mutate(asks)}
          title={t(`drift.${asks}.title`, { node: hostname })}
          action={t(`drift.${asks}`)}
          typed={asks === 'reapply' ? hostname : undefined}
          isBusy={resolve.isPending}
        >
          <p>{t(`drift.${asks}.effect`, { count: items })}</p>
          <Problem text={resolve.error && errorText(resolve.error)} />
        </Confirm>
      )}
    </div>
  )
}
