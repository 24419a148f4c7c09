import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { changeCalendar, revertCalendarChange } from '@vacancy/client'

import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { applyDraft, valuesOf } from './change-draft.ts'
import type { ChangeDraft, SelectedUnit } from './change-draft.ts'
import { editorMessages } from './editor-messages.ts'
import { dayOf } from './nights.ts'
import type { ChangedNights } from './sync-marks.ts'
import { updateCachedNights, useRefreshCalendar } from './use-calendar.ts'

const maxValues = 1000
const undoMs = 600_000

/** Saves changes of nights: shown at once, taken back when the API refuses them, undone by a revert. */
export const useChangeNights = () => {
  const api = useApi()
  const queries = useQueryClient()
  const refresh = useRefreshCalendar()
  const describe = useFailureText()
  const text = useMessages(editorMessages)
  const showToast = useToast()
  const [changed, setChanged] = useState<ChangedNights | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [isSaving, setSaving] = useState(false)

  const save = async (units: readonly SelectedUnit[], draft: ChangeDraft): Promise<boolean> => {
    const values = valuesOf(units, draft)
    if (values.length > maxValues) {
      setFault(text('tooMany'))
      return false
    }
    setFault(null)
    setSaving(true)
    const byId = new Map(units.map((unit) => [unit.id, unit]))
    const days = new Set(units.flatMap(({ nights }) => nights.map(({ day }) => day)))
    updateCachedNights(queries, (unitId, day, night) => {
      const unit = byId.get(unitId)
      return unit && days.has(day) ? applyDraft(unit, draft, day, night) : night
    })
    const at = Date.now()
    try {
      const reply = await api.send(changeCalendar, { body: { values } })
      if (!('calendar_change' in reply)) return false
      const change = reply.calendar_change
      setChanged({ unitIds: [...byId.keys()], from: Math.min(...days), to: Math.max(...days), at })
      showToast({
        message: text('saved', { nights: change.nights }),
        undo: () => undo(change.id),
        shownMs: undoMs,
      })
      return true
    } catch (failure) {
      setFault(describe(failure))
      return false
    } finally {
      setSaving(false)
      void refresh()
    }
  }

  /** Nights that somebody changed since stay as they are. */
  const undo = async (id: string): Promise<string> => {
    try {
      const { left } = await api.send(revertCalendarChange, { path: { id } })
      const leftNights = left
        .flatMap(({ nights }) => nights)
        .reduce((sum, { date_from, date_to }) => sum + dayOf(date_to) - dayOf(date_from) + 1, 0)
      setChanged((known) => known && { ...known, at: Date.now() })
      return leftNights === 0 ? text('undone') : text('undoneExcept', { nights: leftNights })
    } finally {
      void refresh()
    }
  }

  return { changed, fault, isSaving, save, clearFault: () => setFault(null) }
}
