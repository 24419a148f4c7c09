import { useEffect, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { Button, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { createBooking, createQuote, listAvailability, listBookings } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { fieldFaults, ProblemNote } from '../../components/problem-note.tsx'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFailure } from '../../components/use-failure.ts'
import { useIsShown } from '../../components/use-is-shown.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller, useSendOnce } from '../../session/api.tsx'
import { useUnitsById } from '../units/use-units-by-id.ts'
import { bookingMessages } from './booking-messages.ts'
import { byOwnClock, HoldNote } from './hold-note.tsx'
import { newBookingMessages } from './new-booking-messages.ts'
import type { StaySearch } from './new-booking-search.ts'
import { PriceLines } from './price-lines.tsx'
import { UnavailableNote } from './unavailable-note.tsx'
import { useCancelHold } from './use-cancel-hold.ts'
import styles from './new-booking.module.css'

/** Not the path: the quote that is asked for is a new record, which would have it asked for again. */
const quoteKey = 'quote of a stay'

export const noGuest = { guestName: '', guestEmail: '', guestPhone: '', notes: '' }
type Guest = typeof noGuest

interface QuotePanelProps {
  unitId: string
  stay: StaySearch
  guest: Guest
  onGuest: (guest: Guest) => void
  /** What is held, which may be another stay or unit than what is chosen now. */
  held: contract.Quote | null
  onHold: (held: contract.Quote | null) => void
  /** What is being sent, which goes on when another stay or unit is chosen. */
  sending: readonly [running: Running, setRunning: (running: Running) => void]
}

export type Running = 'hold' | 'take' | null

/** The price of the chosen unit, a hold while the guest decides, and the booking. */
export const QuotePanel = ({ unitId, stay, guest, onGuest, held, onHold, sending }: QuotePanelProps) => {
  const text = useMessages(newBookingMessages)
  const word = useMessages(bookingMessages)
  const format = useFormat()
  const toast = useToast()
  const isShown = useIsShown()
  const [running, setRunning] = sending
  const api = useApi()
  const sendOnce = useSendOnce()
  const cancelHold = useCancelHold()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { caller, may } = useCaller()
  const units = useUnitsById(held ? [unitId, held.unit_id] : [unitId])
  const unit = units[unitId]
  const [failure, setFailure] = useFailure()
  const panel = useRef<HTMLFormElement>(null)
  // On a narrow screen it is above the list, which may be scrolled.
  useEffect(() => void panel.current?.scrollIntoView({ block: 'nearest' }), [])
  const [isReleasing, setReleasing] = useState(false)
  const input = {
    unit_id: unitId,
    ...{ check_in: stay.from, check_out: stay.to, guests: stay.guests, rooms: stay.rooms },
  }
  const isHeld = Object.entries(input).every(([name, value]) => held?.[name as keyof typeof input] === value)
  const quoted = useQuery({
    queryKey: [quoteKey, input],
    queryFn: async ({ signal }) => {
      // The list shows the price of the cheapest plan. Without an offer, the quote says why the unit is not free.
      const { from, to, guests, rooms } = stay
      const query = { unit_id: [unitId], from, to, guests, rooms }
      const { availability } = await api.send(listAvailability, { query, signal })
      const body = { ...input, rate_plan_id: availability[0]?.rate_plan_id ?? null }
      return (await api.send(createQuote, { body, signal })).quote
    },
    // What is being booked, or is booked, is not free for another quote.
    enabled: may('quotes:write') && !isHeld && running === null,
    staleTime: 60_000,
    retry: false,
  })
  const quote = isHeld ? held : quoted.data
  const faults = fieldFaults(failure)
  const refresh = () => queries.invalidateQueries({ queryKey: [listAvailability.path] })

  const run = async (action: 'hold' | 'take', work: () => Promise<void>) => {
    setFailure(null)
    if (!guest.guestName.trim()) {
      setFailure(new Error(text('nameMissing')))
      document.querySelector<HTMLInputElement>('input[name="guestName"]')?.focus()
      return
    }
    setRunning(action)
    try {
      await work()
    } catch (cause) {
      setRunning(null)
      setFailure(cause)
    }
  }
  const hold = () =>
    run('hold', async () => {
      const plan = { rate_plan_id: quote?.rate_plan_id ?? null }
      const body = { ...input, ...plan, hold: true, guest_name: guest.guestName.trim() }
      onHold(byOwnClock((await sendOnce(createQuote, { body })).quote))
      setRunning(null)
      await refresh()
    })
  const release = async () => {
    if (!held?.hold) return
    setReleasing(true)
    try {
      await cancelHold(held.hold)
      onHold(null)
      await refresh()
      if (quoted.isError) void quoted.refetch()
      toast({ message: text('released') })
    } catch (cause) {
      setFailure(cause)
    }
    setReleasing(false)
  }
  const take = (event: FormEvent) => {
    event.preventDefault()
    void run('take', async () => {
      if (!quote) return
      const body: contract.BookingInput = {
        unitId,
        guestName: guest.guestName.trim(),
        ...{ checkIn: stay.from, checkOut: stay.to, guests: stay.guests, rooms: stay.rooms },
        ...{ ratePlanId: quote.rate_plan_id, quoteId: quote.id },
        ...(guest.guestEmail.trim() && { guestEmail: guest.guestEmail.trim() }),
        ...(guest.guestPhone.trim() && { guestPhone: guest.guestPhone.trim() }),
        ...(guest.notes.trim() && { notes: guest.notes.trim() }),
      }
      const { booking } = await sendOnce(createBooking, { body })
      // A hold on another stay is not needed any more; when it cannot be released, it expires.
      if (held?.hold && !isHeld) await cancelHold(held.hold).catch(() => {})
      await Promise.all([refresh(), queries.invalidateQueries({ queryKey: [listBookings.path] })])
      // Who is somewhere else by now stays there.
      if (isShown.current) await navigate({ to: '/bookings/$bookingId', params: { bookingId: booking.id } })
      else {
        // What was held is this booking, or was released.
        onHold(null)
        setRunning(null)
      }
      toast({ message: text('taken') })
      // Going back would show the price as if the stay were still free.
      queries.removeQueries({ queryKey: [quoteKey] })
    })
  }
  const field = (name: 'guestName' | 'guestEmail' | 'guestPhone', label: string, type: string) => (
    <TextInput
      name={name}
      label={label}
      type={type}
      value={guest[name]}
      error={faults[name]}
      autoComplete="off"
      onChange={({ currentTarget: { value } }) => onGuest({ ...guest, [name]: value })}
    />
  )
  const timeZone = unit?.space.timezone
  const mayWrite = may('bookings:write')
  const holdNote = held?.hold && (
    <HoldNote
      title={text('held', { guest: guest.guestName })}
      stay={
        isHeld
          ? null
          : `${units[held.unit_id]?.name ?? ''}, ${format.longDate(held.check_in)} – ${format.longDate(held.check_out)}`
      }
      expiresAt={held.hold.expires_at}
      isReleasing={isReleasing}
      onRelease={() => void release()}
      onOver={() => {
        onHold(null)
        setFailure(new Error(text('holdOver')))
        void quoted.refetch()
      }}
    />
  )

  return (
    <form ref={panel} noValidate className={styles.panel} onSubmit={take}>
      <Section title={text('quote', { unit: unit?.name ?? '' })}>
        <p className={styles.dates}>
          {format.longDate(stay.from)} – {format.longDate(stay.to)} · {word('guests', { count: stay.guests })}
        </p>
        {caller && !may('quotes:write') && <p className={styles.hint}>{word('noPermission')}</p>}
        {quoted.isFetching && <p role="status">{text('quoting')}</p>}
        <UnavailableNote failure={quote ? null : (failure ?? quoted.error)} />
        {!isHeld && holdNote}
        {quote && <PriceLines {...quote} />}
        {quote && !isHeld && (
          <p className={styles.hint}>
            {text('validUntil', { time: format.time(quote.expires_at, timeZone) })}
          </p>
        )}
      </Section>
      {quote && (
        <Section title={text('guest')}>
          <div className={styles.guest}>
            {field('guestName', text('name'), 'text')}
            {field('guestEmail', text('email'), 'email')}
            {field('guestPhone', text('phone'), 'tel')}
            <Textarea
              label={text('notes')}
              value={guest.notes}
              onChange={({ currentTarget: { value } }) => onGuest({ ...guest, notes: value })}
            />
            {isHeld && holdNote}
            <ProblemNote failure={failure} fields={['guestName', 'guestEmail', 'guestPhone']} />
            <div className={styles.buttons}>
              <Button
                type="submit"
                loading={running === 'take'}
                disabled={!mayWrite}
                title={mayWrite ? undefined : word('noPermission')}
              >
                {text('take')}
              </Button>
              {!held && (
                <Button
                  variant="default"
                  loading={running === 'hold'}
                  disabled={!may('quotes:write')}
                  onClick={() => void hold()}
                >
                  {text('hold', { minutes: minutesOf(quote) })}
                </Button>
              )}
            </div>
          </div>
        </Section>
      )}
    </form>
  )
}

/** A hold lasts as long as the price of a quote is kept; the organization sets for how long. */
const minutesOf = ({ created_at, expires_at }: contract.Quote) =>
  Math.round((Date.parse(expires_at) - Date.parse(created_at)) / 60_000)
