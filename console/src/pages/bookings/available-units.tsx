import { useDeferredValue } from 'react'
import { Button } from '@mantine/core'
import { listAvailability, listUnits } from '@vacancy/client'

import { componentMessages } from '../../components/component-messages.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { NoUnits } from '../../components/no-units.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { newBookingMessages } from './new-booking-messages.ts'
import type { StaySearch } from './new-booking-search.ts'
import styles from './new-booking.module.css'

interface AvailableUnitsProps {
  stay: StaySearch
  place: string | undefined
  chosen: string | undefined
  onChoose: (unitId: string) => void
}

/** The units that are free for the stay, each with its price. */
export const AvailableUnits = ({ stay, place, chosen, onChoose }: AvailableUnitsProps) => {
  const text = useMessages(newBookingMessages)
  const general = useMessages(componentMessages)
  const describe = useFailureText()
  const format = useFormat()
  const { from, to, guests, rooms } = stay
  const at = useDeferredValue(place)
  const list = useRecords(listAvailability, {
    query: { from, to, guests, rooms, sort: 'name', ...(at && { place: at }) },
  })
  const { records: units, error } = list
  const anyUnit = useRecords(listUnits, { query: { limit: 1 } })
  if (error)
    return (
      <EmptyState
        tone="bad"
        title={general('loadFailed')}
        action={<Button onClick={list.refetch}>{general('tryAgain')}</Button>}
      >
        {describe(error)}
      </EmptyState>
    )
  if (!units) return <TableSkeleton />
  if (anyUnit.records?.length === 0) return <NoUnits />
  if (units.length === 0) return <EmptyState title={text('none')}>{text('noneText')}</EmptyState>
  return (
    <section aria-label={text('free', { nights: units[0]?.nights ?? 0 })}>
      <h2 className={styles.heading}>{text('free', { nights: units[0]?.nights ?? 0 })}</h2>
      <ul className={styles.units}>
        {units.map((unit) => (
          <li key={unit.unit_id}>
            <button
              type="button"
              aria-pressed={unit.unit_id === chosen}
              onClick={() => onChoose(unit.unit_id)}
            >
              <span className={styles.name}>
                <strong>{unit.name}</strong>
                <span>{[unit.space_name, unit.city].filter(Boolean).join(' · ')}</span>
                <span>
                  {text('upTo', { count: unit.max_guests * rooms })}
                  {unit.available > 1 && ` · ${text('left', { count: unit.available })}`}
                </span>
              </span>
              <span className={styles.amount}>
                <strong>{format.money(unit.total_cents, unit.currency)}</strong>
                <span>
                  {text('perNight', { price: format.money(unit.nightly_average_cents, unit.currency) })}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      <ShowMore list={list} label={text('more')} />
    </section>
  )
}
