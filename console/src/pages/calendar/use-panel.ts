import { useState } from 'react'

import { useLeaveQuestion } from '../../shell/leave-question.tsx'
import type { DraftForm } from './read-draft.ts'

/** The panel beside the nights: the editor, a booking or neither. Before what was typed in it is lost, the person is asked. */
export const usePanel = () => {
  const [editing, setEditing] = useState<Partial<DraftForm> | null>(null)
  const [open, setOpen] = useState<{ unitId: string; barId: string } | null>(null)
  const { ask, question } = useLeaveQuestion()
  const closeBar = () => setOpen(null)
  return {
    editing,
    open,
    ask,
    question,
    closeBar,
    edit: (initial: Partial<DraftForm> = {}) => {
      if (JSON.stringify(initial) === JSON.stringify(editing)) return
      ask(() => {
        closeBar()
        setEditing(initial)
      })
    },
    openBar: (unitId: string, barId: string) =>
      ask(() => {
        setEditing(null)
        setOpen({ unitId, barId })
      }),
    close: () => {
      setEditing(null)
      closeBar()
    },
  }
}
