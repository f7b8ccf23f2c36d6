import { Link } from '@tanstack/react-router'
import { Empty } from '../ui/empty.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'

export function NotFound() {
  return (
    <Page title={t('notFound.title')}>
      <Empty title={t('notFound.next')}>
        <Link to="/">{t('nav.overview')}</Link>
      </Empty>
    </Page>
  )
}
