import { Button } from '@mantine/core'
import { listUnits } from '@vacancy/client'

import { DateField, DateRange, FilterBar, SearchField, SelectField } from '../../components/filters.tsx'
import { withMember } from '../../components/read-search.ts'
import { useRecords } from '../../components/use-records.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { useUnitsById } from '../units/use-units-by-id.ts'
import { bookingMessages } from './booking-messages.ts'
import { sources, statuses, todaySets } from './filter.ts'
import type { BookingsFilter } from './filter.ts'
import { bookingsMessages } from './messages.ts'
import type { usePlaces } from './use-places.ts'
import styles from './bookings.module.css'

/** A longer list of options is no help, and slows the page down. */
const maxUnitOptions = 100

interface BookingsToolbarProps {
  filter: BookingsFilter
  places: ReturnType<typeof usePlaces>
  onFilter: (filter: BookingsFilter) => void
}

export const BookingsToolbar = ({ filter, places, onFilter }: BookingsToolbarProps) => {
  const text = useMessages(bookingsMessages)
  const word = useMessages(bookingMessages)
  const { may } = useCaller()
  const set = <Name extends keyof BookingsFilter>(name: Name, value: BookingsFilter[Name] | undefined) =>
    onFilter(withMember(filter, name, value))
  const optionsOf = (records: readonly { id: string; name: string }[]) =>
    records.map(({ id, name }) => ({ value: id, label: name }))
  const ofSpace = filter.space ? { space_id: [filter.space] } : {}
  const units = useRecords(listUnits, { query: { ...ofSpace, sort: 'name', limit: maxUnitOptions } })
  const chosen = useUnitsById(filter.unit ? [filter.unit] : [])
  const unitOptions = units.hasMore ? Object.values(chosen) : (units.records ?? [])
  const { sort: _, ...conditions } = filter
  const maySeePayments = may('payments:read')

  return (
    <FilterBar
      search={
        <SearchField
          label={text('search')}
          placeholder={text('searchPlaceholder')}
          value={filter.q}
          onChange={(q) => set('q', q)}
        />
      }
      count={Object.keys(conditions).filter((name) => name !== 'q').length}
    >
      <SelectField
        label={text('status')}
        value={filter.status}
        options={statuses.map((status) => ({ value: status, label: word(status) }))}
        onChange={(status) => set('status', status)}
      />
      <SelectField
        label={text('today')}
        value={filter.today}
        options={todaySets
          .filter((one) => one !== 'unpaid' || maySeePayments)
          .map((one) => ({ value: one, label: text(one === 'unpaid' ? 'due' : one) }))}
        onChange={(today) => set('today', today)}
      />
      <DateRange>
        <DateField label={text('arrivalFrom')} value={filter.from} onChange={(from) => set('from', from)} />
        <DateField label={text('arrivalTo')} value={filter.to} onChange={(to) => set('to', to)} />
      </DateRange>
      {places.spaces.length > 1 && (
        <SelectField
          label={text('space')}
          value={filter.space}
          options={optionsOf(places.spaces)}
          onChange={(space) => onFilter(withMember(withMember(filter, 'unit', ''), 'space', space))}
        />
      )}
      {(!units.hasMore || filter.unit) && (
        <SelectField
          label={text('unit')}
          value={filter.unit}
          options={optionsOf(unitOptions)}
          onChange={(unit) => set('unit', unit)}
        />
      )}
      <SelectField
        label={text('channel')}
        value={filter.channel}
        options={[
          ...sources.map((source) => ({ value: source, label: word(source) })),
          ...optionsOf(places.targets),
        ]}
        onChange={(channel) => set('channel', channel)}
      />
      <label className={styles.toggle} title={maySeePayments ? undefined : text('unpaidWhy')}>
        <input
          type="checkbox"
          checked={filter.unpaid ?? false}
          disabled={!maySeePayments}
          onChange={(event) => set('unpaid', event.currentTarget.checked || undefined)}
        />
        {text('unpaid')}
      </label>
      {Object.keys(conditions).length > 0 && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => onFilter(filter.sort ? { sort: filter.sort } : {})}
        >
          {text('clear')}
        </Button>
      )}
    </FilterBar>
  )
}
