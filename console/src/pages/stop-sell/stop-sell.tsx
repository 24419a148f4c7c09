import { getRouteApi } from '@tanstack/react-router'
import { listSalesStops } from '@vacancy/client'

import { Badge } from '../../components/badge.tsx'
import { Check, Hand } from '../../components/icons.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useMessages } from '../../i18n/language.tsx'
import { EarlierStops } from './earlier-stops.tsx'
import { stopMessages } from './messages.ts'
import { StopCard } from './stop-card.tsx'
import { StopForm } from './stop-form.tsx'
import styles from './stop-sell.module.css'

const route = getRouteApi('/stop-sell')
const inForce = { query: { lifted: false, sort: '-created_at' } } as const

/** The emergency screen: what is stopped now, and stopping sales at once. */
export const StopSell = () => {
  const text = useMessages(stopMessages)
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const { records: stops, error, refetch, ...list } = useRecords(listSalesStops, inForce)
  const count = stops?.length ?? 0
  return (
    <Page
      title={text('title')}
      summary={
        stops &&
        (count > 0 ? (
          <Badge tone="bad" icon={Hand}>
            {text(list.hasMore ? 'activeMore' : 'active', { count })}
          </Badge>
        ) : (
          <Badge tone="ok" icon={Check}>
            {text('allOpen')}
          </Badge>
        ))
      }
    >
      <div className={styles.page}>
        <ProblemNote failure={error} onRetry={refetch} />
        {!stops && !error && <TableSkeleton rows={1} />}
        {stops && count > 0 && (
          <section className={styles.part} aria-label={text('stoppedNow')}>
            <h2 className={styles.heading}>{text('stoppedNow')}</h2>
            <ul className={styles.stops}>
              {stops.map((stop) => (
                <StopCard key={stop.id} stop={stop} />
              ))}
            </ul>
            <ShowMore list={list} className={styles.more} />
          </section>
        )}
        <StopForm
          filter={filter}
          onFilter={(search) => void navigate({ search, replace: true, resetScroll: false })}
        />
        <EarlierStops />
      </div>
    </Page>
  )
}
