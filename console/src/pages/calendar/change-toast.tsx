import { useEffect } from 'react'

import { Cross } from '../../components/icons.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { editorMessages } from './editor-messages.ts'
import { undoMs } from './use-change-nights.ts'
import type { SavedChange } from './use-change-nights.ts'
import styles from './calendar.module.css'

interface ChangeToastProps {
  saved: SavedChange | null
  onUndo: () => void
  onDismiss: () => void
}

/** What was saved last, with its undo for ten minutes. */
export const ChangeToast = ({ saved, onUndo, onDismiss }: ChangeToastProps) => {
  const text = useMessages(editorMessages)
  useEffect(() => {
    if (!saved) return
    const timer = setTimeout(onDismiss, undoMs)
    return () => clearTimeout(timer)
  }, [saved?.id])
  const message =
    saved &&
    (saved.leftNights === null
      ? text('saved', { nights: saved.nights })
      : saved.leftNights === 0
        ? text('undone')
        : text('undoneExcept', { nights: saved.leftNights }))
  return (
    <div className={styles.toastPlace} role="status">
      {saved && (
        <div className={styles.toast}>
          <span>{message}</span>
          {saved.leftNights === null && (
            <button type="button" className={styles.undo} onClick={onUndo}>
              {text('undo')}
            </button>
          )}
          <button type="button" className={styles.dismiss} aria-label={text('dismiss')} onClick={onDismiss}>
            <Cross />
          </button>
        </div>
      )}
    </div>
  )
}
