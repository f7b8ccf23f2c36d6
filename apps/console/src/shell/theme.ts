import { display, setDisplay } from '../format/display.js'

/** Returns true if the page is dark now, by choice or by the system. */
export function isDark(): boolean {
  const { theme } = display()
  return theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
}

export function switchTheme(): void {
  setDisplay({ theme: isDark() ? 'light' : 'dark' })
}
