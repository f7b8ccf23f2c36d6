import { useQuery } from '@tanstack/react-query'
import { drift as driftQuery } from '../api/queries/drift.js'
import type { DriftedNode } from '../api/queries/drift.js'
import { idIn } from '../api/uri.js'
import { Loaded } from '../state/loaded.js'
import { Diff } from '../ui/diff.js'
import { Tag } from '../ui/state-mark.js'
import { t } from '../words/text.js'
import { Resolve } from './resolve.js'

/** What differs on a node, and the two ways out of it. */
export function Differences({ node: { node, hostname } }: { readonly node: DriftedNode }) {
  const id = idIn(node)
  const found = useQuery(driftQuery(id))
  return (
    <Loaded query={found}>
      {({ kinds }) => {
        const items = kinds.flatMap((kind) => kind.items)
        return (
          <div className="drift">
            {kinds.map(({ kind, items: each }) =>
              each.length === 0 ? null : (
                <section key={kind} aria-label={t(`deploy.kind.${kind === 'gateway' ? 'shares' : 'users'}`)}>
                  {each.map((item) => (
                    <Item key={item.subject} {...item} />
                  ))}
                </section>
              ),
            )}
            {items.length > 0 && (
              <Resolve
                node={{ id, hostname }}
                items={items.length}
                notAdoptable={items.find(({ adoptable }) => !adoptable)?.subject}
              />
            )}
          </div>
        )
      }}
    </Loaded>
  )
}

interface ItemProps {
  readonly subject: string
  readonly message: string
  readonly diff: string
  readonly adoptable: boolean
}

function Item({ subject, message, diff, adoptable }: ItemProps) {
  return (
    <div className="drift-item">
      <p>
        <code>{subject}</code>{' '}
        <Tag tone={adoptable ? 'info' : 'mute'}>{t(adoptable ? 'drift.adoptable' : 'drift.notAdoptable')}</Tag>
      </p>
      <p className="muted">{message}</p>
      {diff !== '' && <Diff text={diff} label={subject} />}
    </div>
  )
}
