import { StateMark } from '../ui/state-mark.js'
import type { Tone } from '../ui/tone.js'
import { tOr } from '../words/text.js'

const tones: Readonly<Record<string, Tone>> = {
  online: 'ok',
  synced: 'ok',
  ok: 'ok',
  applied: 'ok',
  resolved: 'ok',
  delivered: 'ok',
  stale: 'warn',
  drifted: 'warn',
  needs_upgrade: 'warn',
  pending: 'warn',
  waiting: 'warn',
  unmounted: 'warn',
  offline: 'bad',
  duplicate: 'bad',
  failed: 'bad',
  missing: 'bad',
  firing: 'bad',
}

/** Returns how serious a state of the API is. */
export function toneOf(state: string): Tone {
  return tones[state] ?? 'mute'
}

/** A state of the API in the language of the page. */
export function State({ state, title }: { readonly state: string; readonly title?: string }) {
  return <StateMark tone={toneOf(state)} label={tOr(`state.${state}`)} {...(title === undefined ? {} : { title })} />
}
