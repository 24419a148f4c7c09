import type { ChangeEvent } from 'react'
import { Button } from '@mantine/core'
import type { Space } from '@vacancy/client'

import { ChevronLeft, ChevronRight, Rows, Search } from '../../components/icons.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { syncStateMessages } from '../../live/sync-state-messages.ts'
import { syncStates } from '../../live/sync-state.ts'
import type { CalendarFilter } from './filter.ts'
import { calendarMessages } from './messages.ts'
import { dateOf, dayOf } from './nights.ts'
import styles from './calendar.module.css'

interface CalendarToolbarProps {
  filter: CalendarFilter
  spaces: readonly Space[]
  /** The first day in view. */
  day: number
  today: number
  onFilter: (filter: CalendarFilter) => void
  onJump: (day: number) => void
}

const jumpDays = 28

/** Moving through time, and which units are shown. */
export const CalendarToolbar = ({ filter, spaces, day, today, onFilter, onJump }: CalendarToolbarProps) => {
  const text = useMessages(calendarMessages)
  const stateText = useMessages(syncStateMessages)
  const set =
    (name: 'q' | 'space' | 'state') =>
    ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) => {
      const { [name]: _, ...rest } = filter
      onFilter(value ? { ...rest, [name]: value } : rest)
    }
  const toggleDensity = () => {
    const { density, ...rest } = filter
    onFilter(density === 'compact' ? rest : { ...rest, density: 'compact' })
  }
  return (
    <div className={styles.toolbar}>
      <div className={styles.time}>
        <button type="button" aria-label={text('previous')} onClick={() => onJump(day - jumpDays)}>
          <ChevronLeft />
        </button>
        <Button size="compact-sm" variant="default" onClick={() => onJump(today)}>
          {text('today')}
        </Button>
        <button type="button" aria-label={text('next')} onClick={() => onJump(day + jumpDays)}>
          <ChevronRight />
        </button>
        <input
          type="date"
          aria-label={text('jump')}
          value={dateOf(day)}
          onChange={({ currentTarget: { value } }) => value && onJump(dayOf(value))}
        />
      </div>
      <label className={styles.search}>
        <Search />
        <input
          type="text"
          role="searchbox"
          aria-label={text('search')}
          placeholder={text('search')}
          value={filter.q ?? ''}
          onChange={set('q')}
        />
      </label>
      <select aria-label={text('space')} value={filter.space ?? ''} onChange={set('space')}>
        <option value="">{text('allSpaces')}</option>
        {spaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <select aria-label={text('state')} value={filter.state ?? ''} onChange={set('state')}>
        <option value="">{text('allStates')}</option>
        {syncStates.map((state) => (
          <option key={state} value={state}>
            {stateText(state)}
          </option>
        ))}
      </select>
      <button
        type="button"
        className={styles.density}
        aria-pressed={filter.density === 'compact'}
        aria-label={text('density')}
        title={text('density')}
        onClick={toggleDensity}
      >
        <Rows />
      </button>
    </div>
  )
}
