import { useState } from 'react'

import type { CalendarUnit } from './rows.ts'
import { followUnits } from './selection.ts'
import type { Selection } from './selection.ts'

/** The selected nights, by the position of their units: they follow these when other units come, go or are hidden. */
export const useNightSelection = (shown: readonly CalendarUnit[]) => {
  const [selection, setSelection] = useState<Selection | null>(null)
  const [counted, setCounted] = useState(shown)
  if (counted !== shown) {
    setCounted(shown)
    setSelection(selection && followUnits(selection, counted, shown))
  }
  return [selection, setSelection] as const
}
