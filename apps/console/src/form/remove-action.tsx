import { useState } from 'react'
import { useChange } from '../api/use-change.js'
import { Confirm } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { Action } from './form.js'

interface RemoveActionProps {
  /** What is read again afterwards, see `useChange`. */
  readonly topic: string
  readonly remove: () => Promise<unknown>
  /** What the button says; `Remove` unless given. */
  readonly label?: string
  /** What is asked, what the answer is called, and what it costs. */
  readonly title: string
  readonly action: string
  readonly effect: string
  /** What is said once it is done. */
  readonly done: string
}

/** The button of a row that removes its record, after a question. */
export function RemoveAction({
  topic,
  remove,
  label = t('ui.remove'),
  title,
  action,
  effect,
  done,
}: RemoveActionProps) {
  const [isAsking, setAsking] = useState(false)
  const change = useChange(topic, remove, () => toast(done))
  return (
    <>
      <Action small onClick={() => setAsking(true)}>
        {label}
      </Action>
      {isAsking && (
        <Confirm
          open
          onClose={() => setAsking(false)}
          onConfirm={() => change.mutate(undefined)}
          title={title}
          action={action}
          isBusy={change.isPending}
        >
          <p>{effect}</p>
        </Confirm>
      )}
    </>
  )
}
