import { useCallback, useState } from 'react'
import type { FocusEvent } from 'react'
import { defaultRangeExtractor } from '@tanstack/react-virtual'
import type { Range } from '@tanstack/react-virtual'

/**
 * Keeps the focused row of a virtual list in the document when it is scrolled away, so that its editor keeps what was
 * typed. Rows have `data-index`.
 */
export const useKeepFocused = () => {
  const [focused, setFocused] = useState<number | null>(null)
  return {
    rangeExtractor: useCallback((range: Range) => withFocused(range, focused), [focused]),
    onFocus: ({ target }: FocusEvent) => {
      const index = target.closest('[data-index]')?.getAttribute('data-index')
      setFocused(index ? Number(index) : null)
    },
  }
}

const withFocused = (range: Range, focused: number | null): number[] => {
  const indexes = defaultRangeExtractor(range)
  if (focused === null || focused >= range.count || indexes.includes(focused)) return indexes
  return [...indexes, focused].toSorted((a, b) => a - b)
}
