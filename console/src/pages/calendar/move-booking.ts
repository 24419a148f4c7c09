import { useRef, useState } from 'react'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import type { Bar } from './bars.ts'
import { dateOf } from './nights.ts'
import { moveMessages } from './move-messages.ts'
import type { CalendarUnit } from './rows.ts'
import type { CalendarData } from './use-calendar.ts'

/** A booking, and where it would be moved to. */
export interface MoveTarget {
  bar: Bar
  /** Where it is now. */
  home: CalendarUnit
  unit: CalendarUnit
  unitIndex: number
  from: number
  /** Why it cannot be there, as far as the calendar knows; the API has the last word. */
  refusal: string | null
}

export interface MoveDrag {
  now: MoveTarget | null
  start: (barId: string) => boolean
  over: (steps: { unit: number; days: number }) => void
  drop: () => void
  cancel: () => void
}

interface MoveContext {
  units: readonly CalendarUnit[]
  data: CalendarData
  today: number
  /** Asks the person before the booking is moved. */
  onDrop: (target: MoveTarget) => void
}

/** Moving a booking with the mouse: each place is judged while the bar is over it. */
export const useMoveDrag = ({ units, data, today, onDrop }: MoveContext): MoveDrag => {
  const refusalOf = useMoveRefusal(data, today)
  const [now, setNow] = useState<MoveTarget | null>(null)
  const latest = useRef(now)
  const show = (target: MoveTarget | null) => {
    latest.current = target
    setNow(target)
  }
  const at = (target: Omit<MoveTarget, 'refusal'>): MoveTarget => ({ ...target, refusal: refusalOf(target) })
  return {
    now,
    start: (barId) => {
      for (const [unitIndex, unit] of units.entries()) {
        const bar = data.of(unit.id).bars.find(({ id }) => id === barId)
        if (!bar) continue
        show(at({ bar, home: unit, unit, unitIndex, from: bar.from }))
        return true
      }
      return false
    },
    over: ({ unit: unitIndex, days }) => {
      const [target, unit] = [latest.current, units[unitIndex]]
      if (target && unit) show(at({ ...target, unit, unitIndex, from: target.bar.from + days }))
    },
    drop: () => {
      const target = latest.current
      show(null)
      const isMoved = target && (target.unit.id !== target.home.id || target.from !== target.bar.from)
      if (isMoved && target.refusal === null) onDrop(target)
    },
    cancel: () => show(null),
  }
}

interface Move {
  bar: Bar
  home: CalendarUnit
  unit: CalendarUnit
  from: number
  /** The day of the departure, when the stay becomes longer or shorter. */
  to?: number
}

/** Says why a booking cannot be at a place, in the words of the person. */
export const useMoveRefusal = (data: CalendarData, today: number) => {
  const text = useMessages(moveMessages)
  const format = useFormat()
  const { may } = useCaller()
  return ({ bar, home, unit, from, to = from + bar.to - bar.from }: Move): string | null => {
    if (!may('bookings:write')) return text('noPermission')
    if (bar.kind === 'conflict') return text('isConflict')
    if (bar.kind === 'hold') return text('isHold')
    if (bar.kind === 'checked_out') return text('isOver')
    if (to <= from) return text('noNights')
    if (from < today && from !== bar.from) return text('inPast')
    if (bar.kind === 'checked_in' && from !== bar.from) return text('isInHouse')
    for (let day = from; day < to; day += 1) {
      const night = data.nightOf(unit.id, day)
      const isOwn = unit.id === home.id && day >= bar.from && day < bar.to
      if (!night || night.available + (isOwn ? bar.rooms : 0) >= bar.rooms) continue
      const date = format.shortDate(dateOf(day))
      const other = data.of(unit.id).bars.find((one) => one.id !== bar.id && one.from <= day && day < one.to)
      if (other) return text('isTaken', { guest: other.guestName || text('somebody'), date })
      return night.reason ? text('isBlockedFor', { date, reason: night.reason }) : text('isBlocked', { date })
    }
    return null
  }
}
