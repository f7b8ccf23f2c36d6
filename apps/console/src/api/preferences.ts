import { adoptDisplay, isDisplayStored, onChoice } from '../format/display.js'
import type { Display } from '../format/display.js'
import { toast } from '../ui/toast.js'
import { language } from '../words/locale.js'
import { rpc } from './client.js'
import { errorText } from './error-text.js'
import type { Session } from './session.js'

let saving: Promise<unknown> = Promise.resolve()

/**
 * Shows the console as the operator has chosen in any browser, and stores what is chosen from now on. Another language needs the
 * page again: it comes with the next one where `mayReload` is false, because something is typed in this one.
 */
export function followPreferences(
  { role, preferences }: Session,
  { mayReload }: { readonly mayReload: boolean },
): void {
  const chosen: Partial<Display> = Object.fromEntries(Object.entries(preferences).filter(([, value]) => value !== null))
  adoptDisplay(chosen)
  // Operators who can only read change nothing on the server: theirs stays in the browser.
  onChoice(role === 'admin' ? save : () => {})
  const isOther = chosen.language !== undefined && chosen.language !== language
  if (mayReload && isOther && isDisplayStored()) location.reload()
}

function save(display: Display): void {
  const chosen = { ...display, language: display.language ?? null }
  // One after the other: the last choice is the one that stays.
  saving = saving.then(() => rpc.preferences.set.mutate(chosen)).catch((error: unknown) => toast(errorText(error)))
}

/** Ends when the last choice is stored. */
export async function preferencesSaved(): Promise<void> {
  await saving
}
