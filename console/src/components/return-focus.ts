import { useEffect } from 'react'

import { focusNear } from './focus-near.ts'

/**
 * Returns the focus to where it was when a dialog opened, or else to the element that leads to it, or near where it was.
 * Mantine does so only when `opened` becomes false, and a dialog with an address of its own is removed instead.
 */
export const useReturnFocus = (leading?: string) => {
  useEffect(() => {
    const before = document.activeElement
    const focusRest = focusNear(before)
    return () => {
      // After the dialog and its focus trap are gone, unless what was done in it has moved the focus.
      setTimeout(() => {
        if (document.activeElement !== document.body) return
        const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body
        const target = isThere ? before : leading && document.querySelector<HTMLElement>(leading)
        if (target) return target.focus({ preventScroll: true })
        // When it was in a dialog that is closed as well, that one returns the focus first.
        setTimeout(() => {
          if (document.activeElement === document.body && !focusRest())
            document.getElementById('content')?.focus({ preventScroll: true })
        })
      })
    }
  }, [])
}
