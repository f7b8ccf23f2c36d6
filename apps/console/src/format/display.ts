import { languages } from '../words/locale.js'
import type { Language } from '../words/locale.js'

/** How one person wants to read the console. The browser stores it, too: boot.js needs it before anything is loaded. */
export interface Display {
  readonly theme: 'system' | 'light' | 'dark'
  readonly density: 'comfortable' | 'compact'
  /** Undefined: as the browser asks for. */
  readonly language: Language | undefined
  /** Powers of 1,000 (TB) or of 1,024 (TiB). */
  readonly units: 'decimal' | 'binary'
  readonly zone: 'local' | 'utc'
  /** Single keys such as `g n` and `t`. */
  readonly keys: boolean
}

const stored = 'roost.display'
const standard: Display = {
  theme: 'system',
  density: 'comfortable',
  language: undefined,
  units: 'decimal',
  zone: 'local',
  keys: true,
}

const choices = {
  theme: ['system', 'light', 'dark'],
  density: ['comfortable', 'compact'],
  language: [undefined, ...languages],
  units: ['decimal', 'binary'],
  zone: ['local', 'utc'],
  keys: [true, false],
} as const satisfies { readonly [K in keyof Display]: readonly Display[K][] }

/** Returns the settings of a stored text. What this version does not know is left out. */
export function parseDisplay(text: string | null): Display {
  let given: unknown
  try {
    given = JSON.parse(text ?? '{}')
  } catch {
    return standard
  }
  const known = Object.entries(Object(given) as object).filter(([name, value]) =>
    ((choices as Readonly<Record<string, readonly unknown[]>>)[name] ?? []).includes(value),
  )
  return { ...standard, ...Object.fromEntries(known) }
}

function read(): string | null {
  try {
    return localStorage.getItem(stored)
  } catch {
    return null
  }
}

let current = parseDisplay(read())
const listeners = new Set<() => void>()

export function display(): Display {
  return current
}

let onChosen: (display: Display) => void = () => {}

/** Calls `listener` after each choice of the operator in this tab. */
export function onChoice(listener: (display: Display) => void): void {
  onChosen = listener
}

/** Changes settings by a choice of the operator. */
export function setDisplay(change: Partial<Display>): void {
  adoptDisplay(change)
  onChosen(current)
}

/** Returns true if the next page of this browser starts with these settings. */
export function isDisplayStored(): boolean {
  return parseDisplay(read()).language === current.language
}

/** Changes settings, in all tabs of the browser. */
export function adoptDisplay(change: Partial<Display>): void {
  current = { ...current, ...change }
  apply()
  try {
    localStorage.setItem(stored, JSON.stringify(current))
  } catch {
    // Without storage they last as long as the page.
  }
}

export function onDisplay(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Calls `listener` for changes that another tab made, too. */
export function followOtherTabs(): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key !== stored) return
    current = parseDisplay(newValue)
    apply()
  })
}

function apply(): void {
  const { dataset } = document.documentElement
  if (current.theme === 'system') delete dataset['theme']
  else dataset['theme'] = current.theme
  if (current.density === 'compact') dataset['density'] = 'compact'
  else delete dataset['density']
  for (const listener of listeners) listener()
}
