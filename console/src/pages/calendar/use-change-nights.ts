import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { changeCalendar, revertCalendarChange } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useSendOnce } from '../../session/api.tsx'
import { applyDraft, valuesOf } from './change-draft.ts'
import type { ChangeDraft, SelectedNights } from './change-draft.ts'
import { editorMessages } from './editor-messages.ts'
import { weekdays, weekdayOf } from './nights.ts'
import { withPendingNights } from './sync-marks.ts'
import type { ChangedNights } from './sync-marks.ts'
import { updateCachedUnits, useRefreshCalendar } from './use-calendar.ts'

const maxUnits = 1000
const undoMs = 600_000
const maxNamedNights = 3

type Change = contract.CalendarChange

/** Saves changes of nights: shown at once, taken back when the API refuses them, undone by a revert. */
export const useChangeNights = (unitName: (id: string) => string) => {
  const api = useApi()
  const sendOnce = useSendOnce()
  const queries = useQueryClient()
  const refresh = useRefreshCalendar()
  const describe = useFailureText()
  const text = useMessages(editorMessages)
  const format = useFormat()
  const showToast = useToast()
  const [changed, setChanged] = useState<ChangedNights | null>(null)

  /** Returns why the nights could not be changed, or null. */
  const save = async (
    selected: SelectedNights,
    draft: ChangeDraft,
    editor: string,
  ): Promise<string | null> => {
    if (selected.units.length > maxUnits) return text('tooMany')
    setChanged({ ...rangeOf(selected), weekdays: draft.weekdays })
    showDraft(selected, draft)
    try {
      const body = { values: valuesOf(selected, draft) }
      const reply = await sendOnce(changeCalendar, { body }, editor)
      if ('calendar_change' in reply) announce(reply.calendar_change)
      return null
    } catch (failure) {
      setChanged(null)
      return describe(failure)
    } finally {
      void refresh()
    }
  }

  const showDraft = (selected: SelectedNights, draft: ChangeDraft) => {
    // A tile that is being read may be as it was before the change.
    void queries.cancelQueries({
      queryKey: ['calendar', 'tile'],
      predicate: ({ state }) => state.data !== undefined,
    })
    const quantities = new Map(selected.units.map(({ id, quantity }) => [id, quantity]))
    updateCachedUnits(queries, (unitId, unit, tileFrom) => {
      const quantity = quantities.get(unitId)
      if (quantity === undefined) return unit
      const days: number[] = []
      const nightsOf = (nights: typeof unit.nights) =>
        nights.map((night, index) => {
          const day = tileFrom + index
          if (day < selected.from || day > selected.to) return night
          if (draft.weekdays.includes(weekdayOf(day))) days.push(day)
          return applyDraft(draft, quantity, day, night)
        })
      const planId = selected.planId ?? unit.plans[0]?.id
      const plans = unit.plans.map((plan) =>
        plan.id === planId ? { ...plan, nights: nightsOf(plan.nights) } : plan,
      )
      const nights = selected.planId || !plans[0] ? unit.nights : plans[0].nights
      const listings = unit.listings.map((listing) => withPendingNights(listing, days))
      return { ...unit, nights, plans, listings }
    })
  }

  /** Tells what was done, and offers to take it back for ten minutes. */
  const announce = (change: Change) =>
    showToast({
      message: text('saved', { nights: change.nights }),
      undo: () => undo(change.id),
      shownMs: undoMs,
    })

  /** What a season or a copy changed, whose nights are known by their bounds only. */
  const show = (change: Change, unitIds: readonly string[]) => {
    const [from, to] = [Date.parse(change.date_from), Date.parse(change.date_to)].map((ms) => ms / 86_400_000)
    setChanged({ unitIds: new Set(unitIds), from: from ?? 0, to: to ?? 0, weekdays })
    announce(change)
    void refresh()
  }

  /** Nights that somebody changed since stay as they are, and are named. */
  const undo = async (id: string): Promise<string> => {
    try {
      const { left } = await api.send(revertCalendarChange, { path: { id } })
      const ranges = left.flatMap(({ unit_id, nights }) => nights.map((range) => ({ unit_id, ...range })))
      if (ranges.length === 0) return text('undone')
      const named = ranges.slice(0, maxNamedNights).map(({ unit_id, date_from, date_to }) => {
        const dates = [...new Set([date_from, date_to])].map(format.shortDate).join(' – ')
        return `${unitName(unit_id)} ${dates}`
      })
      const more = ranges.length > maxNamedNights ? ['…'] : []
      return text('undoneExcept', { nights: [...named, ...more].join(', ') })
    } finally {
      void refresh()
    }
  }

  return { changed, save, show }
}

const rangeOf = ({ units, from, to }: SelectedNights) => ({
  unitIds: new Set(units.map(({ id }) => id)),
  from,
  to,
})
