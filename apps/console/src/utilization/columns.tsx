import { Link } from '@tanstack/react-router'
import type { AccountUsageRow } from '../api/queries/utilization.js'
import { bytes, count, percent } from '../format/numbers.js'
import type { Column } from '../ui/data-table.js'
import { Tag } from '../ui/state-mark.js'
import { t } from '../words/text.js'

const accountColumn = (): Column<AccountUsageRow> => ({
  key: 'account',
  heading: t('utilization.account'),
  cell: ({ account, account_name: name }) => (
    <Link to="/utilization" search={(old) => ({ ...old, account })}>
      {name} <code>{account}</code>
    </Link>
  ),
})

const completeColumn = (): Column<AccountUsageRow> => ({
  key: 'complete',
  heading: t('utilization.complete'),
  width: 150,
  align: 'r',
  cell: ({ pct_complete: pct, verified }) => (
    <>
      {verified === false && <Tag>{t('utilization.unverified')}</Tag>} {percent(pct)}
    </>
  ),
})

function numbers(
  key: 'container_count' | 'object_count' | 'req_count' | 'bytes_used' | 'bytes_in' | 'bytes_out',
): Column<AccountUsageRow> {
  const format = key.startsWith('bytes_') ? bytes : count
  return { key, heading: t(`utilization.${key}`), width: 120, align: 'r', cell: (row) => format(row[key]) }
}

/** The columns of storage, or of transfer. */
export function usageColumns(isStorage: boolean): readonly Column<AccountUsageRow>[] {
  const counters = isStorage
    ? (['bytes_used', 'object_count', 'container_count'] as const)
    : (['bytes_in', 'bytes_out', 'req_count'] as const)
  return [accountColumn(), ...counters.map(numbers), completeColumn()]
}
