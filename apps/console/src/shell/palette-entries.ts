import { useNavigate } from '@tanstack/react-router'
import type { PaletteEntry } from '../hits/record-hits.js'
import { useViewEntries } from '../hits/views.js'
import { Bell, Server, SunMoon } from '../ui/icons.js'
import { t } from '../words/text.js'
import { alertScreens, clusterScreen, sections } from './navigation.js'
import { switchTheme } from './theme.js'

/** More are not read: a longer query finds fewer. */
const shown = 12

interface Searchable extends PaletteEntry {
  /** Other names by which people search for it. */
  readonly search: string
}

/** Returns the entries that have every part of the query in their names, those that begin with it first. */
export function matching(entries: readonly Searchable[], query: string): readonly PaletteEntry[] {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean)
  const hits = entries.filter(({ name, search }) =>
    parts.every((part) => `${name} ${search}`.toLowerCase().includes(part)),
  )
  const starts = ({ name }: PaletteEntry) => name.toLowerCase().startsWith(parts[0] ?? '')
  return hits.toSorted((one, other) => Number(starts(other)) - Number(starts(one))).slice(0, shown)
}

/** Returns what the query finds: screens, actions and saved views. */
export function usePaletteEntries(query: string): readonly PaletteEntry[] {
  const navigate = useNavigate()
  const saved = useViewEntries()
  const screens = sections.flatMap(({ name: section, entries }) =>
    entries.map(({ to, name, search, icon }) => ({
      id: to,
      name: t(name),
      search: t(search),
      hint: section === null ? t('shell.screen') : t(section),
      icon,
      run: () => void navigate({ to }),
    })),
  )
  const further = [
    ...alertScreens.slice(1).map((screen) => ({ ...screen, hint: t('nav.alerts'), icon: Bell })),
    { ...clusterScreen, hint: t('nav.system'), icon: Server },
  ].map(({ to, name, search, ...entry }) => ({
    ...entry,
    id: to,
    name: t(name),
    search: t(search),
    run: () => void navigate({ to }),
  }))
  const theme = {
    id: 'theme',
    name: t('display.switchTheme'),
    search: t('display.theme'),
    hint: t('shell.action'),
    icon: SunMoon,
    run: switchTheme,
  }
  return matching([...screens, ...further, theme, ...saved], query)
}
