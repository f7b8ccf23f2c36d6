import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { display } from '../format/display.js'
import { sections } from './navigation.js'
import type { Overlay } from './overlay.js'
import { switchTheme } from './theme.js'

/** The second key of `g n` has this long. */
const sequenceMs = 1_200

/** Where keys write text. */
function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

interface Commands {
  readonly go: (to: (typeof sections)[number]['entries'][number]['to']) => void
  readonly refresh: () => void
  readonly overlay: (overlay: Overlay) => void
}

/** With Ctrl, or Cmd on a Mac. */
function isPalette({ ctrlKey, metaKey, key }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && key.toLowerCase() === 'k'
}

function isSingle(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event) && display().keys
}

/** Returns the screen that `g` and a key go to. */
function screenOf(key: string) {
  return sections.flatMap(({ entries }) => entries).find((entry) => entry.key === key)
}

/** Returns the handler of the keys that work everywhere. `g` waits for the key of a screen. */
export function createKeyHandler(
  { go, refresh, overlay }: Commands,
  now: () => number,
): (event: KeyboardEvent) => void {
  let waitsUntil = Number.NEGATIVE_INFINITY
  const single: Readonly<Record<string, () => void>> = {
    '/': () => overlay('palette'),
    '?': () => overlay('keys'),
    t: switchTheme,
    r: refresh,
    f: () => document.querySelector<HTMLElement>('main input[type="search"]')?.focus(),
    g: () => {
      waitsUntil = now() + sequenceMs
    },
  }
  return (event) => {
    const isSecond = now() < waitsUntil
    waitsUntil = Number.NEGATIVE_INFINITY
    const entry = isSecond ? screenOf(event.key) : undefined
    const other = entry === undefined ? single[event.key] : () => go(entry.to)
    const run = isPalette(event) ? () => overlay('palette') : other
    if (run === undefined || !(isPalette(event) || isSingle(event))) return
    event.preventDefault()
    run()
  }
}

/** Binds the keys of the console. While an overlay is open or loading, keys are for it alone. */
export function useKeys(open: Overlay, overlay: (overlay: Overlay) => void): void {
  const navigate = useNavigate()
  const queries = useQueryClient()
  useEffect(() => {
    if (open !== null) return undefined
    const onKey = createKeyHandler(
      { go: (to) => void navigate({ to }), refresh: () => void queries.invalidateQueries(), overlay },
      () => performance.now(),
    )
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [navigate, queries, open, overlay])
}
