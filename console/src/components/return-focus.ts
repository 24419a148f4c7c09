import { useEffect } from 'react'

/**
 * Returns the focus to where it was when a dialog opened, or else to the element that leads to it. Mantine does so only
 * when `opened` becomes false, and a dialog with an address of its own is removed instead.
 */
export const useReturnFocus = (fallback: string) => {
  useEffect(() => {
    const before = document.activeElement
    return () => {
      // After the dialog and its focus trap are gone, unless what was done in it has moved the focus.
      setTimeout(() => {
        if (document.activeElement !== document.body) return
        const target =
          before instanceof HTMLElement && before.isConnected && before !== document.body
            ? before
            : document.querySelector<HTMLElement>(fallback)
        target?.focus({ preventScroll: true })
      })
    }
  }, [])
}
