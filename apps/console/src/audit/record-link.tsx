import { Link } from '@tanstack/react-router'
import type { AuditRecord } from '../api/queries/audit.js'

interface RecordLinkProps {
  readonly event: AuditRecord
}

/** The record that was changed, by its name, with a link to its page where the console has one. */
export function RecordLink({ event: { resource, resource_id: number, name } }: RecordLinkProps) {
  if (number === null) return name === null ? resource : `${resource} ${name}`
  const id = String(number)
  const text = name === null ? `${resource} ${id}` : `${resource} ${id} ${name}`
  if (resource === 'nodes')
    return (
      <Link to="/nodes/$id/{-$tab}" params={{ id, tab: undefined }}>
        {text}
      </Link>
    )
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
