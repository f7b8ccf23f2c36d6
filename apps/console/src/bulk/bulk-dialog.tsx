import { useBlocker } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { isCallError } from '../api/client.js'
import { errorText } from '../api/error-text.js'
import { Action } from '../form/form.js'
import { Confirm, Dialog } from '../ui/dialog.js'
import { t } from '../words/text.js'
import { countsOf, isUnanswered, restOf, useRun } from './use-run.js'
import type { Run } from './use-run.js'

type Write<R> = (record: R) => Promise<unknown>

export interface BulkDialogProps<R> {
  readonly records: readonly R[]
  readonly nameOf: (record: R) => string
  /** What is done, such as `Disable shares`. */
  readonly title: string
  /** The first part of the query keys of what is read again. */
  readonly topic: string
  /** The question before, which starts it or closes the dialog. */
  readonly children: (start: (write: Write<R>) => void) => ReactNode
  /** What follows when something was done. */
  readonly next: ReactNode
  /** Called with what is not done when a run ends. */
  readonly onRest: (rest: readonly R[]) => void
  readonly onClose: () => void
}

/** Does one thing with several records, one call each, and says how far it came. */
export function BulkDialog<R>(props: BulkDialogProps<R>) {
  const { records, title, topic, children, onRest } = props
  const run = useRun<R>({ title, topic, onRest })
  if (run.write === undefined) return children((write) => run.start(records, write))
  return run.isRunning ? <Running {...props} run={run} /> : <Ended {...props} run={run} />
}

type PhaseProps<R> = BulkDialogProps<R> & { readonly run: Run<R> }

/** It is stopped, not closed: nothing goes on unseen. Leaving the screen would stop it, too, and asks first. */
function Running<R>({ title, run: { ended, total, stop } }: PhaseProps<R>) {
  const leaving = useBlocker({ shouldBlockFn: () => true, withResolver: true })
  const { reset } = leaving
  // When the run ends before the answer, one stays: the address would be that of another screen.
  useEffect(() => () => reset?.(), [reset])
  if (leaving.status === 'blocked')
    return (
      <Confirm
        open
        title={t('bulk.leave.title')}
        action={t('bulk.leave')}
        onConfirm={leaving.proceed}
        onClose={leaving.reset}
      >
        <p role="status">{t('bulk.running', { done: ended, total })}</p>
        <p>{t('bulk.leave.effect')}</p>
      </Confirm>
    )
  const actions = (
    <button type="button" className="btn" onClick={stop}>
      {t('bulk.stop')}
    </button>
  )
  return (
    <Dialog open onClose={stop} title={title} actions={actions}>
      <p role="status">{t('bulk.running', { done: ended, total })}</p>
      <progress className="bulk-progress" value={ended} max={total} aria-label={title} />
    </Dialog>
  )
}

function Ended<R>({ title, nameOf, next, onClose, run }: PhaseProps<R>) {
  const { done, refused, left, write, start } = run
  const rest = restOf(run)
  const actions = (
    <>
      {rest.length > 0 && write !== undefined && (
        <Action onClick={() => start(rest, write)}>{t('bulk.again', { count: rest.length })}</Action>
      )}
      <button type="button" className="btn primary" onClick={onClose}>
        {t('ui.done')}
      </button>
    </>
  )
  return (
    <Dialog open onClose={onClose} title={title} actions={actions}>
      <p role="status">{t('bulk.done', countsOf(run))}</p>
      {refused.length > 0 && (
        <>
          <h3>{t('bulk.refused', { count: refused.length })}</h3>
          <dl className="bulk-names">
            {refused.map(({ record, error }) => (
              <div key={nameOf(record)}>
                <dt>{nameOf(record)}</dt>
                <dd className="field-error">{reasonOf(error)}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {left.length > 0 && (
        <>
          <h3>{t('bulk.left', { count: left.length })}</h3>
          <Names names={left.map(nameOf)} />
        </>
      )}
      {done.length > 0 && next}
    </Dialog>
  )
}

/** A list of all names would be longer than the window. */
const mostNames = 20

/** The names of the records, as far as there is space for them. */
export function Names({ names }: { readonly names: readonly string[] }) {
  const more = names.length - mostNames
  return (
    <p className="bulk-names">
      {names.slice(0, mostNames).join(', ')}
      {more > 0 && ` ${t('bulk.more', { count: more })}`}
    </p>
  )
}

function reasonOf(error: unknown): string {
  return isUnanswered(error) ? t('bulk.noAnswer') : errorText(error)
}

/** Returns the answer of a removal: what somebody else has removed meanwhile is removed, too. */
export async function unlessRemoved(removal: Promise<unknown>): Promise<void> {
  try {
    await removal
  } catch (error) {
    if (!isCallError(error) || error.data?.code !== 'NOT_FOUND') throw error
  }
}
