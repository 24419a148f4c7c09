import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { previewBooking } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { DateInput } from '../../components/date-input.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { isRefusal, useApi } from '../../session/api.tsx'
import { useAllUnits } from '../portfolio/use-portfolio-records.ts'
import { changeMessages } from './change-messages.ts'
import { addDays } from './new-booking-search.ts'
import { usePlaces } from './use-places.ts'
import styles from './booking.module.css'

interface MoveDialogProps {
  booking: contract.Booking
  onChange: (change: contract.BookingPatch) => Promise<void>
  onClose: () => void
}

/** Other dates, another unit or more guests: what is free and what it costs is shown before it is done. */
export const MoveDialog = ({ booking, onChange, onClose }: MoveDialogProps) => {
  const text = useMessages(changeMessages)
  const format = useFormat()
  const toast = useToast()
  const { spaceOf } = usePlaces()
  const { data: units = [] } = useAllUnits()
  // Only what was changed here: a colleague may move the booking meanwhile.
  const [edit, setEdit] = useState<Partial<Stay>>({})
  const { arrival, departure, unitId, guests } = booking
  const stay = { arrival, departure, unitId, guests, ...edit }
  const [takesNewPrice, setTakesNewPrice] = useState(false)
  const change = changeOf(booking, stay)
  const hasChanged = Object.keys(change).length > 0
  const isValid = stay.arrival < stay.departure && stay.guests > 0
  const { data: preview, error, isFetching, refetch } = usePreview(booking.id, change, hasChanged && isValid)
  const set = (next: Partial<typeof stay>) => setEdit({ ...edit, ...next })
  // A change of any booking has the price read again: until it is there, that of before can be chosen.
  const isChecking = isFetching && preview === undefined
  const isOtherCurrency = preview && preview.currency !== booking.currency

  const move = async () => {
    if (!hasChanged) throw new Error(text('nothingChanged'))
    const price = preview && (takesNewPrice || isOtherCurrency)
    await onChange({
      ...change,
      ...(price && { totalCents: preview.calculatedCents, currency: preview.currency }),
    })
    toast({ message: text('moved') })
  }
  return (
    <ConfirmDialog
      title={text('moveTitle', { guest: booking.guestName })}
      action={text('moveAction')}
      // The price that was chosen is that of the preview.
      isReady={!hasChanged || (preview !== undefined && error === null)}
      onConfirm={move}
      onClose={onClose}
    >
      <div className={styles.fields}>
        <label>
          {text('arrival')}
          <DateInput
            value={stay.arrival}
            onChange={({ currentTarget }) => set(datesFrom(stay, currentTarget.value))}
          />
        </label>
        <label>
          {text('departure')}
          <DateInput
            min={addDays(stay.arrival, 1)}
            value={stay.departure}
            onChange={({ currentTarget }) => set({ departure: currentTarget.value })}
          />
        </label>
        <label className={styles.wide}>
          {text('unit')}
          <select value={stay.unitId} onChange={({ currentTarget }) => set({ unitId: currentTarget.value })}>
            {units.map(({ id, name, space_id }) => (
              <option key={id} value={id}>
                {`${name} · ${spaceOf(space_id)?.name ?? ''}`}
              </option>
            ))}
          </select>
        </label>
        <label>
          {text('guests')}
          <input
            type="number"
            min={1}
            value={stay.guests}
            onChange={({ currentTarget }) => set({ guests: Math.trunc(Number(currentTarget.value)) })}
          />
        </label>
      </div>
      <div role="status" className={styles.outcome}>
        {!isValid && text('invalidStay')}
        {isChecking && text('checking')}
        {preview && error === null && (
          <strong>
            {text('free', {
              unit: units.find(({ id }) => id === preview.unitId)?.name ?? '',
              nights: preview.nights,
            })}
          </strong>
        )}
      </div>
      {preview && !isOtherCurrency && (
        <fieldset className={styles.choices}>
          {[false, true].map((isNew) => (
            <label key={String(isNew)}>
              <input
                type="radio"
                name="price"
                checked={takesNewPrice === isNew}
                onChange={() => setTakesNewPrice(isNew)}
              />
              {text(isNew ? 'newPrice' : 'keepPrice', {
                price: format.money(isNew ? preview.calculatedCents : booking.totalCents, preview.currency),
              })}
            </label>
          ))}
        </fieldset>
      )}
      {isOtherCurrency && (
        <p>{text('newPrice', { price: format.money(preview.calculatedCents, preview.currency) })}</p>
      )}
      {!isChecking && (
        <ProblemNote failure={error} {...(!isRefusal(error) && { onRetry: () => void refetch() })} />
      )}
    </ConfirmDialog>
  )
}

interface Stay {
  arrival: string
  departure: string
  unitId: string
  guests: number
}

const dayMs = 86_400_000

/** A stay that begins on another day keeps its length. */
const datesFrom = ({ arrival, departure }: Stay, next: string): Partial<Stay> => {
  if (!next) return {}
  const lengthMs = Date.parse(departure) - Date.parse(arrival)
  return {
    arrival: next,
    departure: new Date(Date.parse(next) + Math.max(dayMs, lengthMs)).toISOString().slice(0, 10),
  }
}

/** Only what differs, so that the times of the day stay as they are. */
const changeOf = (booking: contract.Booking, { arrival, departure, unitId, guests }: Stay) => ({
  ...(arrival !== booking.arrival && { checkIn: arrival }),
  ...(departure !== booking.departure && { checkOut: departure }),
  ...(unitId !== booking.unitId && { unitId }),
  ...(guests !== booking.guests && { guests }),
})

const usePreview = (id: string, change: contract.BookingPreviewInput, isEnabled: boolean) => {
  const api = useApi()
  return useQuery({
    queryKey: [previewBooking.path, id, change],
    queryFn: async ({ signal }) =>
      (await api.send(previewBooking, { path: { id }, body: change, signal })).preview,
    enabled: isEnabled,
    staleTime: 0,
    // One that was read for a stay before is read again when that is chosen again.
    gcTime: 0,
  })
}
