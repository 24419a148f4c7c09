import { listAvailability } from '@vacancy/client'

import { ProblemNote } from '../../components/problem-note.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useAllUnits } from '../portfolio/use-portfolio-records.ts'
import { conflictMessages } from './conflict-messages.ts'
import styles from './details.module.css'

interface UnitPickerProps {
  stay: {
    arrival: string
    departure: string
    guests: number
    rooms: number
    /** When only units with prices in it are possible. */
    currency?: string
  }
  /** A unit that stays possible although it is not free: the one that the booking has. */
  current?: { id: string; name: string }
  value: string | null
  onChange: (unitId: string) => void
}

/** The units that are free for a stay, to choose one of them, and the others: not all that is free is offered for it. */
export const UnitPicker = (props: UnitPickerProps) => {
  const { arrival, departure } = props.stay
  // What is free for one stay is not shown for another.
  const key = JSON.stringify(props.stay)
  return arrival < departure && <FreeUnits key={key} {...props} />
}

const FreeUnits = ({ stay, current, value, onChange }: UnitPickerProps) => {
  const text = useMessages(conflictMessages)
  const format = useFormat()
  const { arrival: from, departure: to, ...rest } = stay
  const query = { from, to, ...rest, limit: 100, sort: 'name' } as const
  const { records, error, refetch, ...list } = useRecords(listAvailability, { query })
  const units = (records ?? []).filter(({ unit_id }) => unit_id !== current?.id)
  const option = (id: string, name: string, place: string, price: string | null) => (
    <label key={id} className={styles.unit}>
      <input type="radio" name="unit" value={id} checked={value === id} onChange={() => onChange(id)} />
      <span className={styles.name}>
        {name}
        <span className={styles.place}>{place}</span>
      </span>
      {price && <span>{price}</span>}
    </label>
  )
  return (
    <>
      <ProblemNote failure={error} onRetry={refetch} />
      {!records && !error && <TableSkeleton rows={4} />}
      {records && (
        <>
          <p className={styles.pickerLabel}>{text('freeUnits')}</p>
          <fieldset className={styles.units} aria-label={text('freeUnits')}>
            {current && option(current.id, text('sameUnit', { unit: current.name }), '', null)}
            {units.map(({ unit_id, name, space_name, total_cents, currency }) =>
              option(unit_id, name, space_name, format.money(total_cents, currency)),
            )}
            <ShowMore list={list} size="compact-sm" />
            {units.length === 0 && !list.hasMore && <p className={styles.empty}>{text('noneFree')}</p>}
          </fieldset>
          <OtherUnits
            offered={[...units.map(({ unit_id }) => unit_id), current?.id]}
            currency={stay.currency}
            {...{ value, onChange }}
          />
        </>
      )}
    </>
  )
}

interface OtherUnitsProps {
  offered: readonly (string | undefined)[]
  currency: string | undefined
  value: string | null
  onChange: (unitId: string) => void
}

const OtherUnits = ({ offered, currency, value, onChange }: OtherUnitsProps) => {
  const text = useMessages(conflictMessages)
  const units = useAllUnits()
  const isOffered = new Set(offered)
  const others = (units.data ?? []).filter(
    (unit) => !isOffered.has(unit.id) && (currency === undefined || unit.currency === currency),
  )
  if (others.length === 0) return null
  return (
    <label className={styles.others}>
      {text('otherUnits')}
      <select
        value={others.some(({ id }) => id === value) ? (value ?? '') : ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        <option value="" disabled>
          {text('chooseUnit')}
        </option>
        {others.map(({ id, name, space }) => (
          <option key={id} value={id}>
            {`${name} · ${space.name}`}
          </option>
        ))}
      </select>
    </label>
  )
}
