import { getRouteApi, Link } from '@tanstack/react-router'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { itemMessages } from './item-messages.ts'
import { itemKinds } from './item-filter.ts'
import { countItems } from './use-import.ts'
import type { Import } from './use-import.ts'
import styles from './item-counts.module.css'

const route = getRouteApi('/import/$importId')
const names = { unit: 'units', space: 'spaces', rate_plan: 'rate_plans', photo: 'photosCounted' } as const

/** How many records of each kind are made, matched and skipped; each leads to its items. */
export const ItemCounts = ({ current }: { current: Import }) => {
  const text = useMessages(itemMessages)
  const format = useFormat()
  const filter = route.useSearch()
  const isDone = current.status === 'completed'
  const shown = itemKinds.filter((kind) => countItems(current, kind).total > 0)
  return (
    <ul className={styles.counts} aria-label={text('items')}>
      {shown.map((kind) => {
        const { done, total } = countItems(current, kind, 'create')
        const created = isDone ? done : total
        const matched = countItems(current, kind, 'match').total
        const skipped = countItems(current, kind, 'skip').total
        const isChosen = filter.kind === kind
        return (
          <li key={kind}>
            <Link
              from="/import/$importId"
              to="."
              search={isChosen ? {} : { kind }}
              replace
              resetScroll={false}
              className={styles.count}
              // A link whose search is a part of the address would count as the current page.
              activeOptions={{ exact: true }}
              aria-current={isChosen ? 'true' : undefined}
            >
              <span className={styles.label}>{text(names[kind])}</span>
              <span className={styles.figure}>
                {format.number(created)}{' '}
                <small>{text(isDone ? 'wereCreated' : 'toCreate', { kind, count: created })}</small>
              </span>
              <span className={styles.note}>
                {[
                  matched > 0 && text('matchedCount', { count: matched }),
                  skipped > 0 && text('skippedCount', { kind, count: skipped }),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </Link>
          </li>
        )
      })}
      {current.bookings_imported > 0 && (
        <li>
          <Link to="/bookings" search={{}} className={styles.count}>
            <span className={styles.label}>{text('bookingsCounted')}</span>
            <span className={styles.figure}>
              {format.number(current.bookings_imported)}{' '}
              <small>{text('wereCreated', { kind: 'booking', count: current.bookings_imported })}</small>
            </span>
            <span className={styles.note}>{text('currentAndFuture')}</span>
          </Link>
        </li>
      )}
    </ul>
  )
}
