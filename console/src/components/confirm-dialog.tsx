import { useEffect, useState } from 'react'

import { useFailureText } from '../i18n/failure-text.ts'
import type { ConfirmDialogProps, ConfirmForm } from './confirm-form.tsx'
import { useToast } from './toast.tsx'

let loaded: typeof ConfirmForm | undefined

/**
 * Asks before something is done that is hard to take back. Rendered only while it is open, and loaded when the first
 * one is opened. When it cannot be loaded, such as offline, the screen stays as it is and says why.
 */
export const ConfirmDialog = (props: ConfirmDialogProps) => {
  const describe = useFailureText()
  const toast = useToast()
  const [Form, setForm] = useState(() => loaded)
  useEffect(() => {
    if (Form) return
    // The bundler drops a second argument of `then` after an import.
    const load = async () => {
      try {
        loaded = (await import('./confirm-form.tsx')).ConfirmForm
        setForm(() => loaded)
      } catch (failure) {
        toast({ message: describe(failure) })
        props.onClose()
      }
    }
    void load()
  }, [])
  return Form ? <Form {...props} /> : null
}
