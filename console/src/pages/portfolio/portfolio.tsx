import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { Button } from '@mantine/core'
import { getRouteApi, Outlet } from '@tanstack/react-router'

import { BulkFailures } from '../../components/bulk-failures.tsx'
import type { BulkFailure } from '../../components/bulk-result.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { NoUnits } from '../../components/no-units.tsx'
import { Page } from '../../components/page.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import type { Statuses } from '../../live/sync-state.ts'
import { useStatuses } from '../../live/sync-statuses.ts'
import { useCaller } from '../../session/api.tsx'
import { useOpenWindow } from '../../shell/shortcuts.tsx'
import type { Filter } from './filter.ts'
import { filterGroups, groupUnits, summarize } from './group-units.ts'
import type { Group } from './group-units.ts'
import { portfolioMessages } from './messages.ts'
import { GroupSkeleton } from './skeleton.tsx'
import { StatusSummary } from './status-summary.tsx'
import { Toolbar } from './toolbar.tsx'
import { UnitList } from './unit-list.tsx'
import { usePortfolioRecords } from './use-portfolio-records.ts'
import { useShortcuts } from './use-shortcuts.ts'
import styles from './portfolio.module.css'

const route = getRouteApi('/units')
const noGroups: Group[] = []
const noStatuses: Statuses = {}

/** Every unit of the organization, its price, and whether the PMS has it. */
export const Portfolio = () => {
  const text = useMessages(portfolioMessages)
  const describe = useFailureText()
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const { spaces, units, listings, error, refetch } = usePortfolioRecords()
  const { statuses = noStatuses, error: statusError, refetch: refetchStatuses } = useStatuses()
  const { may } = useCaller()
  const open = useOpenWindow()
  const [failures, setFailures] = useState<BulkFailure[]>([])
  const search = useRef<HTMLInputElement>(null)

  const groups = useMemo(
    () => (spaces && units && listings ? groupUnits(spaces, units, listings) : null),
    [spaces, units, listings],
  )
  const summary = useMemo(() => summarize(groups ?? noGroups, statuses), [groups, statuses])
  const deferredFilter = useDeferredValue(filter)
  const [keptUnitId, setKeptUnitId] = useState<string | null>(null)
  const shown = useMemo(
    () => filterGroups(groups ?? noGroups, statuses, deferredFilter, keptUnitId),
    [groups, statuses, deferredFilter, keptUnitId],
  )

  const { failed } = summary.counts
  const setFilter = (next: Filter) => {
    setKeptUnitId(null)
    void navigate({ search: next, replace: true })
  }
  useShortcuts(search)

  return (
    <Page
      title={text('title')}
      // The number of failures is seen from another tab.
      tabTitle={failed > 0 ? `(${failed}) ${text('title')}` : text('title')}
      summary={groups && text('counts', countsOf(groups))}
      actions={
        <>
          <ButtonLink to="/import" variant="default">
            {text('import')}
          </ButtonLink>
          <ButtonLink to="/spaces/new" variant="default">
            {text('newSpace')}
          </ButtonLink>
          <ButtonLink to="/units/new">{text('newUnit')}</ButtonLink>
        </>
      }
    >
      <StatusSummary summary={groups ? summary : null} filter={filter} onFilter={setFilter} />
      <Toolbar ref={search} filter={filter} onFilter={setFilter} onSheet={() => open('sheet')} />
      {error && groups && (
        <p className={styles.notice} role="alert">
          <span>{text('partlyLoaded', { reason: describe(error) })}</span>
          <Button size="compact-sm" variant="default" onClick={refetch}>
            {text('tryAgain')}
          </Button>
        </p>
      )}
      {statusError && (
        <p className={styles.notice} role="alert">
          <span>{text('statusesFailed', { reason: describe(statusError) })}</span>
          <Button size="compact-sm" variant="default" onClick={() => void refetchStatuses()}>
            {text('tryAgain')}
          </Button>
        </p>
      )}
      <BulkFailures
        failures={failures}
        link={(id) => ({ to: '/units/$unitId', params: { unitId: id } })}
        onClose={() => setFailures([])}
      />
      {error && !groups ? (
        <EmptyState
          tone="bad"
          title={text('loadFailed')}
          action={<Button onClick={refetch}>{text('tryAgain')}</Button>}
        >
          {describe(error)}
        </EmptyState>
      ) : !groups ? (
        <GroupSkeleton />
      ) : groups.length === 0 ? (
        <NoUnits />
      ) : shown.length === 0 ? (
        <EmptyState
          title={filter.q ? text('nothingMatches', { query: filter.q }) : text('noListingInState')}
          action={
            <Button variant="default" onClick={() => setFilter({})}>
              {text('showAll')}
            </Button>
          }
        />
      ) : (
        <UnitList
          groups={shown}
          statuses={statuses}
          canSelect={may('units:write')}
          onFocus={setKeptUnitId}
          onFailures={setFailures}
        />
      )}
      <Outlet />
    </Page>
  )
}

const countsOf = (groups: Group[]) => {
  const rows = groups.flatMap((group) => group.rows)
  const listings = rows.reduce((sum, row) => sum + row.listings.length, 0)
  return { spaces: groups.length, units: rows.length, listings }
}
