import { useQuery } from '@tanstack/react-query'
import type { Filters } from '../api/queries/filters.js'
import { nodeFacets } from '../api/queries/nodes.js'
import { FacetFilter } from '../list/facet-filter.js'
import { State } from '../state/state.js'
import { t, tOr } from '../words/text.js'
import { roleFlags } from './roles.js'

const states = ['online', 'stale', 'offline', 'needs_upgrade', 'duplicate', 'pending'] as const
const configStates = ['drifted', 'pending', 'unknown', 'synced'] as const
/** More are found by the order of the column. */
const maxVersions = 6

const stateText = (state: string) => <State state={state} />

/** What the list of nodes is filtered by, beside the name. */
export const facets = {
  choices: ['state', 'config_state', 'agent_version'],
  flags: ['has_problems', ...roleFlags],
}

interface NodeFiltersProps {
  readonly filters: Filters
  readonly search: Readonly<Record<string, string | undefined>>
}

/** One button for each state, role and version that a node has, with how many there are. */
export function NodeFilters({ filters, search }: NodeFiltersProps) {
  const { data } = useQuery(nodeFacets(filters))
  const versions = Object.keys(data?.agent_version ?? {})
  return (
    <>
      <FacetFilter
        label={t('nodes.state')}
        field="state"
        values={states}
        counts={data?.state}
        search={search}
        textOf={stateText}
        hasAll
      />
      <FacetFilter
        label={t('nodes.config')}
        field="config_state"
        values={configStates}
        counts={data?.config_state}
        search={search}
        textOf={stateText}
      />
      <FacetFilter
        label={t('nodes.problems')}
        field="has_problems"
        values={['true']}
        counts={data?.has_problems}
        search={search}
        textOf={() => t('nodes.withProblems')}
      />
      {roleFlags.map((flag) => (
        <FacetFilter
          key={flag}
          label={tOr(`role.${flag}`)}
          field={flag}
          values={['true']}
          counts={data?.[flag]}
          search={search}
          textOf={() => tOr(`role.${flag}`)}
        />
      ))}
      {versions.length > 1 && (
        <FacetFilter
          label={t('nodes.agent')}
          field="agent_version"
          values={versions.slice(0, maxVersions)}
          counts={data?.agent_version}
          search={search}
          textOf={(version) => version}
        />
      )}
    </>
  )
}
