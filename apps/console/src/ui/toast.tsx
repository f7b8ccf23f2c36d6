import { useSyncExternalStore } from 'react'

interface Notice {
  readonly id: number
  readonly text: string
}

const shownMs = 5_000
let notices: readonly Notice[] = []
let last = 0
const listeners = new Set<() => void>()

function set(next: readonly Notice[]): void {
  notices = next
  for (const listener of listeners) listener()
}

/** Shows a sentence for some seconds. It is never the only way in which an error is shown. */
export function toast(text: string): void {
  last += 1
  const id = last
  set([...notices.slice(-2), { id, text }])
  setTimeout(() => set(notices.filter((notice) => notice.id !== id)), shownMs)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Where the sentences of `toast` appear; one a page. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => notices)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <p key={id} className="toast">
          {text}
        </p>
      ))}
    </div>
  )
}
