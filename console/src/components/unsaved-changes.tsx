import { useEffect } from 'react'

const unsaved = new Set<symbol>()

/** Whether something was typed on the screen, or in a dialog over it, that is not saved. */
export const isUnsaved = (): boolean => unsaved.size > 0

/** When the person leaves it all the same: the screen is still there while the next one is loaded. */
export const discardUnsaved = (): void => unsaved.clear()

/** Has a person asked before they leave a screen on which something was typed that is not saved. */
export const UnsavedChanges = ({ isDirty }: { isDirty: boolean }) => {
  useEffect(() => {
    if (!isDirty) return
    const key = Symbol('unsaved')
    unsaved.add(key)
    return () => {
      unsaved.delete(key)
    }
  }, [isDirty])
  return null
}
