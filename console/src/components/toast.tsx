import { createContext, useCallback, useContext, useEffect, useState } from 'react'
import type { ReactNode } from 'react'

import { useFailureText } from '../i18n/failure-text.ts'
import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import { Cross } from './icons.tsx'
import styles from './toast.module.css'

export interface Toast {
  message: string
  /** Takes back what was done; returns what is shown then. */
  undo?: () => Promise<string>
  shownMs?: number
}

const defaultShownMs = 10_000

const ToastContext = createContext<(toast: Toast) => void>(() => {})

/** Shows what was just done; a new message replaces the one before it. */
export const useToast = (): ((toast: Toast) => void) => useContext(ToastContext)

export const ToastProvider = ({ children }: { children: ReactNode }) => {
  const [shown, setShown] = useState<{ toast: Toast; key: number } | null>(null)
  const show = useCallback((toast: Toast) => setShown((last) => ({ toast, key: (last?.key ?? 0) + 1 })), [])
  return (
    <ToastContext value={show}>
      {children}
      <div className={styles.position} role="status">
        {shown && <Message key={shown.key} toast={shown.toast} show={show} onDone={() => setShown(null)} />}
      </div>
    </ToastContext>
  )
}

interface MessageProps {
  toast: Toast
  show: (toast: Toast) => void
  onDone: () => void
}

const Message = ({ toast, show, onDone }: MessageProps) => {
  const { message, undo, shownMs = defaultShownMs } = toast
  const text = useMessages(componentMessages)
  const describe = useFailureText()
  const [isPaused, setPaused] = useState(false)
  const [isUndoing, setUndoing] = useState(false)

  useEffect(() => {
    if (isPaused || isUndoing) return
    const timer = setTimeout(onDone, shownMs)
    return () => clearTimeout(timer)
  }, [isPaused, isUndoing, shownMs])

  const takeBack = async () => {
    if (!undo || isUndoing) return
    setUndoing(true)
    // What could not be taken back can be tried again.
    const next = await undo().then(
      (done) => ({ message: done }),
      (failure: unknown) => ({ ...toast, message: describe(failure) }),
    )
    show(next)
  }

  return (
    <div
      className={styles.toast}
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      <span>{message}</span>
      {undo && (
        <button type="button" className={styles.undo} onClick={() => void takeBack()}>
          {text('undo')}
        </button>
      )}
      <button type="button" className={styles.dismiss} aria-label={text('dismiss')} onClick={onDone}>
        <Cross />
      </button>
    </div>
  )
}
