import type { ReactNode } from 'react'
import type { contract } from '@vacancy/client'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useUnit } from '../units/use-unit.ts'
import { timelineMessages } from './timeline-messages.ts'
import styles from './booking.module.css'

const fields = ['unitId', 'guests', 'rooms', 'checkIn', 'checkOut', 'totalCents'] as const
/** Of these only that they changed is kept. */
const hidden = ['guestName', 'guestEmail', 'guestPhone', 'notes', 'pms_notes'] as const

interface TimelineChangesProps {
  changes: contract.TimelineEntry['changes']
  booking: contract.Booking
  timeZone: string | undefined
}

/** Before and after of what changed, in words. */
export const TimelineChanges = ({ changes, booking, timeZone }: TimelineChangesProps) => {
  const text = useMessages(timelineMessages)
  const format = useFormat()
  const shown = (field: (typeof fields)[number], value: unknown): ReactNode => {
    if (typeof value === 'number')
      return field === 'totalCents' ? format.money(value, booking.currency) : format.number(value)
    if (typeof value !== 'string') return '–'
    return field === 'unitId' ? <UnitName id={value} /> : format.dayTime(value, timeZone)
  }
  return changes.map(({ field, before, after }) => {
    const known = fields.find((one) => one === field)
    const secret = hidden.find((one) => one === field)
    if (secret) return <Note key={field}>{text(secret)}</Note>
    return (
      known && (
        <Note key={field}>
          {text(known)}: {shown(known, before)} → {shown(known, after)}
        </Note>
      )
    )
  })
}

const UnitName = ({ id }: { id: string }) => useUnit(id).data?.unit.name ?? '–'

const Note = ({ children }: { children: ReactNode }) => <span className={styles.note}>{children}</span>
