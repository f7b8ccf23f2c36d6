import type { JobRecord } from '../api/queries/deployments.js'
import { t } from '../words/text.js'
import { useNames } from './use-names.js'

/** The proxies to which a deployment of users does not go, with the reason. */
export function LeftOut({ job: { left_out: leftOut } }: { readonly job: JobRecord }) {
  const names = useNames()
  return leftOut.map(({ node, message }) => (
    <p key={node} className="muted small left-out">
      {t('job.leftOut', { name: names.node(node), message })}
    </p>
  ))
}
