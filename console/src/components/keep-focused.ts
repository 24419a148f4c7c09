import { useCallback, useState } from 'react'
import type { FocusEvent } from 'react'
import { defaultRangeExtractor } from '@tanstack/react-virtual'
import type { Range } from '@tanstack/react-virtual'

import { useIsPrinting } from './use-is-printing.ts'

/**
 * Keeps the focused row of a virtual list in the document when it is scrolled away, so that its editor keeps what was
 * typed, also when rows above it appear or disappear. The rows have `data-index`, their place among the keys. All of them
 * are in the document while it is printed.
 */
export const useKeepFocused = (keys: readonly string[]) => {
  const [focused, setFocused] = useState<string | undefined>()
  const at = focused === undefined ? -1 : keys.indexOf(focused)
  const isPrinting = useIsPrinting()
  return {
    rangeExtractor: useCallback(
      (range: Range) => (isPrinting ? [...Array(range.count).keys()] : withFocused(range, at)),
      [at, isPrinting],
    ),
    onFocus: ({ target }: FocusEvent) => {
      const index = target.closest('[data-index]')?.getAttribute('data-index')
      setFocused(index ? keys[Number(index)] : undefined)
    },
  }
}

const withFocused = (range: Range, focused: number): number[] => {
  const indexes = defaultRangeExtractor(range)
  if (focused < 0 || focused >= range.count || indexes.includes(focused)) return indexes
  return [...indexes, focused].toSorted((a, b) => a - b)
}
