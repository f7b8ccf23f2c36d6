import { Link } from '@tanstack/react-router'
import type { AuditRecord } from '../api/queries/audit.js'

interface RecordLinkProps {
  readonly event: AuditRecord
}

/** The record that was changed, with a link to its page where the console has one. */
export function RecordLink({ event: { resource, resource_id: number } }: RecordLinkProps) {
  if (number === null) return resource
  const id = String(number)
  const text = `${resource} ${id}`
  if (resource === 'gateway_shares')
    return (
      <Link to="/shares/$id" params={{ id }}>
        {text}
      </Link>
    )
  if (resource === 'users')
    return (
      <Link to="/users/$id" params={{ id }}>
        {text}
      </Link>
    )
  if (resource === 'gateway_deployments' || resource === 'user_db_deployments')
    return (
      <Link to="/deployments/$kind/$id" params={{ kind: kindOf(resource), id }}>
        {text}
      </Link>
    )
  return text
}

function kindOf(resource: string): string {
  return resource === 'gateway_deployments' ? 'shares' : 'users'
}
