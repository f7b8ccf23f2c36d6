import {
  Activity,
  ArrowRightLeft,
  Bell,
  ChartColumn,
  Database,
  Gauge,
  HardDrive,
  History,
  KeyRound,
  LayoutDashboard,
  Rocket,
  Server,
  ServerCog,
  Share2,
  Users,
} from '../ui/icons.js'
import type { Icon } from '../ui/icons.js'
import type { PlainKey } from '../words/en.js'
import type { Screen } from './screens.js'

export interface Entry {
  /** Explanations are those of a number, which links them. */
  readonly to: '/' | `/${Exclude<Screen, 'explain'>}`
  readonly name: PlainKey
  /** Other names by which people search for it. */
  readonly search: PlainKey
  readonly icon: Icon
  /** After `g`. */
  readonly key: string
}

export interface Section {
  readonly name: PlainKey | null
  readonly entries: readonly Entry[]
}

/** THE LIST of what the sidebar and the palette show, in their order. */
export const sections: readonly Section[] = [
  {
    name: null,
    entries: [
      { to: '/', name: 'nav.overview', search: 'nav.overview.search', icon: LayoutDashboard, key: 'o' },
      { to: '/alerts', name: 'nav.alerts', search: 'nav.alerts.search', icon: Bell, key: 'a' },
    ],
  },
  {
    name: 'nav.cluster',
    entries: [
      { to: '/nodes', name: 'nav.nodes', search: 'nav.nodes.search', icon: Server, key: 'n' },
      { to: '/devices', name: 'nav.devices', search: 'nav.devices.search', icon: HardDrive, key: 'd' },
      { to: '/capacity', name: 'nav.capacity', search: 'nav.capacity.search', icon: Gauge, key: 'c' },
      { to: '/explore', name: 'nav.explore', search: 'nav.explore.search', icon: Activity, key: 'e' },
      { to: '/swift', name: 'nav.swift', search: 'nav.swift.search', icon: Database, key: 'h' },
    ],
  },
  {
    name: 'nav.access',
    entries: [
      { to: '/shares', name: 'nav.shares', search: 'nav.shares.search', icon: Share2, key: 's' },
      { to: '/users', name: 'nav.users', search: 'nav.users.search', icon: Users, key: 'u' },
      { to: '/deployments', name: 'nav.deployments', search: 'nav.deployments.search', icon: Rocket, key: 'p' },
      { to: '/drift', name: 'nav.drift', search: 'nav.drift.search', icon: ArrowRightLeft, key: 'f' },
      { to: '/utilization', name: 'nav.utilization', search: 'nav.utilization.search', icon: ChartColumn, key: 'b' },
    ],
  },
  {
    name: 'nav.control',
    entries: [
      { to: '/audit', name: 'nav.audit', search: 'nav.audit.search', icon: History, key: 'l' },
      { to: '/access', name: 'nav.accessControl', search: 'nav.accessControl.search', icon: KeyRound, key: 'k' },
      { to: '/system', name: 'nav.system', search: 'nav.system.search', icon: ServerCog, key: 'y' },
    ],
  },
]

/** Behind a link of the system. The palette has it, too. */
export const clusterScreen = { to: '/system/clusters', name: 'clusters.title', search: 'clusters.search' } as const

/** THE LIST of the screens about alerts, in the order of their tabs. The palette has them, too. */
export const alertScreens = [
  { to: '/alerts', name: 'nav.alerts', search: 'nav.alerts.search' },
  { to: '/alerts/silences', name: 'silences.title', search: 'silences.search' },
  { to: '/alerts/rules', name: 'rules.title', search: 'rules.search' },
  { to: '/alerts/receivers', name: 'receivers.title', search: 'receivers.search' },
  { to: '/alerts/deliveries', name: 'deliveries.title', search: 'deliveries.search' },
] as const
