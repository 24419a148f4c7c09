import { useState } from 'react'
import type { ChangeEvent, ComponentProps } from 'react'
import { getRouteApi } from '@tanstack/react-router'
import type { contract } from '@vacancy/client'

import { DateInput } from '../../components/date-input.tsx'
import { Page } from '../../components/page.tsx'
import { UnsavedChanges } from '../../components/unsaved-changes.tsx'
import { useTypedValue } from '../../components/use-typed-value.ts'
import { useMessages } from '../../i18n/language.tsx'
import { dateOf, todayIn } from '../calendar/nights.ts'
import { useSpaces } from '../portfolio/use-portfolio-records.ts'
import { AvailableUnits } from './available-units.tsx'
import { newBookingMessages } from './new-booking-messages.ts'
import { addDays, stayOf } from './new-booking-search.ts'
import type { NewBookingSearch } from './new-booking-search.ts'
import { noGuest, QuotePanel } from './quote-panel.tsx'
import type { Running } from './quote-panel.tsx'
import styles from './new-booking.module.css'

const route = getRouteApi('/bookings/new')

/** From a search for free units over a price with its lines to a booking. */
export const NewBooking = () => {
  const text = useMessages(newBookingMessages)
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: spaces } = useSpaces()
  // The day of the person may be another than that of the properties.
  const days = spaces?.length ? spaces.map(({ timezone }) => todayIn(timezone)) : [todayIn(undefined)]
  const today = dateOf(Math.min(...days))
  const stay = stayOf(search, dateOf(Math.max(...days)))
  const set = (next: NewBookingSearch) => void navigate({ search: { ...search, ...next }, replace: true })
  const { unit, place } = search
  // Kept while the guest decides on other dates or another unit.
  const [guest, setGuest] = useState(noGuest)
  const [held, setHeld] = useState<contract.Quote | null>(null)
  const sending = useState<Running>(null)

  return (
    <Page title={text('title')} back={{ link: { to: '/bookings' }, place: text('bookings') }}>
      <UnsavedChanges isDirty={guest !== noGuest && sending[0] !== 'take'} />
      <search className={styles.search}>
        <label>
          {text('arrival')}
          <DateInput
            min={today}
            value={stay.from}
            onChange={({ currentTarget: { value } }) =>
              value && set({ from: value, to: addDays(value, nightsOf(stay)) })
            }
          />
        </label>
        <label>
          {text('departure')}
          <DateInput
            min={addDays(stay.from, 1)}
            value={stay.to}
            onChange={({ currentTarget: { value } }) => value && set({ from: stay.from, to: value })}
          />
        </label>
        {(['guests', 'rooms'] as const).map((name) => (
          <label key={name} className={styles.count}>
            {text(name)}
            <TypedInput
              type="number"
              min={1}
              value={String(stay[name])}
              onChange={({ currentTarget: { value } }) =>
                Number(value) >= 1 && set({ [name]: Number(value) })
              }
            />
          </label>
        ))}
        <label>
          {text('place')}
          <TypedInput
            type="search"
            placeholder={text('placeHint')}
            value={place ?? ''}
            onChange={({ currentTarget: { value } }) =>
              set({ place: value || undefined } as NewBookingSearch)
            }
          />
        </label>
      </search>
      {spaces && stay.from < today ? (
        <p role="alert">{text('invalid')}</p>
      ) : (
        <div className={styles.columns}>
          <AvailableUnits
            // What is free for one stay, and at which price, is not shown for another.
            key={JSON.stringify(stay)}
            stay={stay}
            place={place}
            chosen={unit}
            onChoose={(id) => set({ unit: id, from: stay.from, to: stay.to })}
          />
          {unit ? (
            <QuotePanel
              key={JSON.stringify([unit, stay])}
              unitId={unit}
              stay={stay}
              guest={guest}
              onGuest={setGuest}
              held={held}
              onHold={setHeld}
              sending={sending}
            />
          ) : (
            <p className={styles.hint}>{text('choose')}</p>
          )}
        </div>
      )}
    </Page>
  )
}

interface TypedInputProps extends ComponentProps<'input'> {
  value: string
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
}

const TypedInput = (props: TypedInputProps) => <input {...props} {...useTypedValue(props.value)} />

const nightsOf = ({ from, to }: { from: string; to: string }) =>
  Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)
