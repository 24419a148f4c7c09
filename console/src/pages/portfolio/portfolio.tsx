import { lazy, Suspense, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '@mantine/core'
import { getRouteApi, Outlet } from '@tanstack/react-router'

import { Message } from '../../parts/message.tsx'
import { wordsFor } from '../../parts/refusal.ts'
import { useCaller } from '../../api.tsx'
import { arrange, sift, summarize } from './arrange.ts'
import type { Group } from './arrange.ts'
import type { Statuses } from '../../parts/sync-state.ts'
import type { Filter } from './filter.ts'
import { PriceNews } from './price-news.tsx'
import type { PriceChange } from './price-news.tsx'
import { usePortfolioRecords } from './records.ts'
import { GroupSkeleton } from './skeleton.tsx'
import { SpaceGroup } from './space-group.tsx'
import { useStatuses } from '../../statuses.ts'
import { Strip } from './strip.tsx'
import { Toolbar } from './toolbar.tsx'
import { useGrowing } from './growing.ts'
import { useKeys } from './keys.ts'
import look from './portfolio.module.css'

const ShortcutSheet = lazy(async () => ({ default: (await import('./shortcut-sheet.tsx')).ShortcutSheet }))

const route = getRouteApi('/portfolio')
const noGroups: Group[] = []
const noStatuses: Statuses = {}

/** Every unit the organization sells, what it costs, and whether the PMS knows. */
export const Portfolio = () => {
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const { spaces, units, listings, error, refetch } = usePortfolioRecords()
  const sync = useStatuses()
  const statuses = sync.data ?? noStatuses
  const [sheetOpen, setSheetOpen] = useState(false)
  const [change, setChange] = useState<PriceChange | null>(null)
  const search = useRef<HTMLInputElement>(null)

  const groups = useMemo(
    () => (spaces && units && listings ? arrange(spaces, units, listings) : null),
    [spaces, units, listings],
  )
  const summary = useMemo(() => summarize(groups ?? noGroups, statuses), [groups, statuses])
  const sought = useDeferredValue(filter)
  const shown = useMemo(() => sift(groups ?? noGroups, statuses, sought), [groups, statuses, sought])
  const { visible, sentinel } = useGrowing(shown)

  const setFilter = (next: Filter) => void navigate({ search: next, replace: true })
  useKeys({ search, showSheet: () => setSheetOpen(true) })
  useTitle(summary.counts.failed)

  return (
    <>
      <div className={look.head}>
        <h1 className={look.title}>Portfolio</h1>
        {groups && <p className={look.sizes}>{sizesOf(groups)}</p>}
      </div>
      <Strip summary={groups ? summary : null} filter={filter} onFilter={setFilter} />
      <Toolbar ref={search} filter={filter} onFilter={setFilter} onSheet={() => setSheetOpen(true)} />
      {sync.error && !sync.data && (
        <p className={look.notice} role="alert">
          <span>The sync states could not be read. {wordsFor(sync.error)}</span>
          <Button size="compact-sm" variant="default" onClick={() => void sync.refetch()}>
            Try again
          </Button>
        </p>
      )}
      {error && !groups ? (
        <Message
          tone="bad"
          title="The portfolio could not be loaded"
          action={<Button onClick={refetch}>Try again</Button>}
        >
          {wordsFor(error)}
        </Message>
      ) : !groups ? (
        <GroupSkeleton />
      ) : groups.length === 0 ? (
        <NothingYet />
      ) : shown.length === 0 ? (
        <NothingFound filter={filter} onClear={() => setFilter({})} />
      ) : (
        <div className={look.groups}>
          {visible.map((group) => (
            <SpaceGroup key={group.space.id} group={group} statuses={statuses} onPriceChange={setChange} />
          ))}
          <div ref={sentinel} />
        </div>
      )}
      <PriceNews change={change} onDone={() => setChange(null)} onUndone={setChange} />
      <Suspense>{sheetOpen && <ShortcutSheet onClose={() => setSheetOpen(false)} />}</Suspense>
      <Outlet />
    </>
  )
}

const NothingYet = () => {
  const { may } = useCaller()
  return (
    <Message title="No spaces yet">
      {may('spaces:write') ? (
        <>
          Create the first with <code>POST /api/v1/spaces</code>; the <a href="/docs">reference</a> shows how.
        </>
      ) : (
        'When someone adds a space, it appears here.'
      )}
    </Message>
  )
}

const NothingFound = ({ filter, onClear }: { filter: Filter; onClear: () => void }) => (
  <Message
    title={filter.q ? `Nothing matches “${filter.q}”` : 'No listing is in this state'}
    action={
      <Button variant="default" onClick={onClear}>
        Show everything
      </Button>
    }
  />
)

/** The number of failures stands in the tab, so that it is seen from another one. */
const useTitle = (failed: number) => {
  useEffect(() => {
    document.title = failed > 0 ? `(${failed}) Portfolio · Vacancy` : 'Portfolio · Vacancy'
  }, [failed])
}

const sizesOf = (groups: Group[]): string => {
  const rows = groups.flatMap((group) => group.rows)
  const listings = rows.reduce((sum, row) => sum + row.listings.length, 0)
  return [counted(groups.length, 'space'), counted(rows.length, 'unit'), counted(listings, 'listing')].join(
    ' · ',
  )
}

const counted = (count: number, noun: string) => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`
