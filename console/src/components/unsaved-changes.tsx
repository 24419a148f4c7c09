import { useEffect } from 'react'

const unsaved = new Set<symbol>()

/** Whether something was typed on the screen, or in a dialog over it, that is not saved. */
export const isUnsaved = (): boolean => unsaved.size > 0

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
