import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import type { Space } from '@vacancy/client'

import { DateInput } from '../../components/date-input.tsx'
import { DateField, DateRange, SearchField, SelectField } from '../../components/filters.tsx'
import { ChevronLeft, ChevronRight, Rows, Search } from '../../components/icons.tsx'
import { withMember } from '../../components/read-search.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useChannels } from './channels.tsx'
import { syncFilters, unitFilterOf } from './filter.ts'
import type { CalendarFilter } from './filter.ts'
import { firstDayOf, weekCount } from './grid-layout.ts'
import { calendarMessages } from './messages.ts'
import { dateOf, dayOf, daysPerWeek } from './nights.ts'
import styles from './calendar.module.css'

interface CalendarToolbarProps {
  filter: CalendarFilter
  spaces: readonly Space[]
  /** The first day in view. */
  day: number
  today: number
  isPhone: boolean
  onFilter: (filter: CalendarFilter) => void
  onJump: (day: number) => void
  /** Buttons of this screen beside the filters. */
  children: ReactNode
}

const jumpDays = 28

/** Moving through time, and which units are shown. */
export const CalendarToolbar = (props: CalendarToolbarProps) => {
  const { filter, day, today, isPhone, onFilter, onJump } = props
  const text = useMessages(calendarMessages)
  const [isOpen, setOpen] = useState(false)
  const count = Object.keys(unitFilterOf(filter)).length
  const first = firstDayOf(today)
  const filters = (
    <div className={styles.filters} id="calendar-filters">
      <Filters {...props} />
      {count > 0 && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => {
            const { from, density, unit } = filter
            onFilter({ ...(from && { from }), ...(density && { density }), ...(unit && { unit }) })
          }}
        >
          {text('clear')}
        </Button>
      )}
    </div>
  )
  if (isPhone)
    return (
      <>
        <div className={styles.time}>
          <Button size="compact-md" variant="default" className={styles.plain} onClick={() => onJump(today)}>
            {text('today')}
          </Button>
          <button
            type="button"
            className={styles.toggle}
            aria-expanded={isOpen}
            aria-controls="calendar-filters"
            aria-label={text('filters')}
            onClick={() => setOpen(!isOpen)}
          >
            <Search />
            {count > 0 && <b>{count}</b>}
          </button>
        </div>
        {isOpen && filters}
      </>
    )
  return (
    <>
      <div className={styles.time}>
        <button type="button" aria-label={text('previous')} onClick={() => onJump(day - jumpDays)}>
          <ChevronLeft />
        </button>
        <Button size="compact-md" variant="default" className={styles.plain} onClick={() => onJump(today)}>
          {text('today')}
        </Button>
        <button type="button" aria-label={text('next')} onClick={() => onJump(day + jumpDays)}>
          <ChevronRight />
        </button>
        <DateInput
          aria-label={text('jump')}
          min={dateOf(first)}
          max={dateOf(first + weekCount * daysPerWeek - 1)}
          value={dateOf(day)}
          onChange={({ currentTarget: { value } }) => value && onJump(dayOf(value))}
        />
      </div>
      <div className={styles.actions}>
        {props.children}
        <button
          type="button"
          className={styles.toggle}
          aria-pressed={filter.density === 'compact'}
          aria-label={text('density')}
          title={text('density')}
          onClick={() =>
            onFilter(withMember(filter, 'density', filter.density === 'compact' ? undefined : 'compact'))
          }
        >
          <Rows />
        </button>
      </div>
      {filters}
    </>
  )
}

const Filters = ({ filter, spaces, today, onFilter }: CalendarToolbarProps) => {
  const text = useMessages(calendarMessages)
  const channels = useChannels()
  return (
    <>
      <SearchField
        label={text('search')}
        value={filter.q}
        onChange={(q) => onFilter(withMember(filter, 'q', q))}
      />
      <SelectField
        label={text('space')}
        value={filter.space}
        options={spaces.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(space) => onFilter(withMember(filter, 'space', space))}
      />
      <SelectField
        label={text('channel')}
        value={filter.channel}
        options={[...channels.values()].map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(channel) => onFilter(withMember(filter, 'channel', channel))}
      />
      <SelectField
        label={text('state')}
        value={filter.state}
        options={syncFilters.map((value) => ({ value, label: text(value) }))}
        onChange={(state) => onFilter(withMember(filter, 'state', state))}
      />
      <DateRange>
        <DateField
          label={text('freeFrom')}
          min={dateOf(today)}
          value={filter.freeFrom}
          onChange={(freeFrom) => onFilter(withMember(filter, 'freeFrom', freeFrom))}
        />
        <DateField
          label={text('freeTo')}
          min={dateOf((filter.freeFrom ? dayOf(filter.freeFrom) : today) + 1)}
          value={filter.freeTo}
          onChange={(freeTo) => onFilter(withMember(filter, 'freeTo', freeTo))}
        />
      </DateRange>
    </>
  )
}
