import './system.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { pathOf } from '../api/base.js'
import { system } from '../api/queries/system.js'
import { Loaded } from '../state/loaded.js'
import { Card } from '../ui/card.js'
import { CopyLine } from '../ui/copy.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { SystemParts } from './parts.js'
import { Upgrades } from './upgrades.js'

const commands = ['roost doctor', 'roost support-bundle'] as const
const links = [
  ['docs/', 'system.docs'],
  ['openapi.json', 'system.openapi'],
] as const

/** The control plane itself, and the versions of its agents. */
export function System() {
  const found = useQuery(system())
  return (
    <Page
      title={t('nav.system')}
      actions={
        <Link to="/system/clusters" className="btn">
          {t('clusters.title')}
        </Link>
      }
    >
      <Loaded query={found}>{(record) => <SystemParts system={record} />}</Loaded>
      <Upgrades />
      <Card title={t('system.help')}>
        <p className="muted">{t('system.commands')}</p>
        {commands.map((line) => (
          <CopyLine key={line} text={line} label={t('ui.copy')} />
        ))}
        <ul className="system-links">
          {links.map(([path, name]) => (
            <li key={path}>
              <a href={pathOf(path)}>{t(name)}</a>
            </li>
          ))}
        </ul>
      </Card>
    </Page>
  )
}
