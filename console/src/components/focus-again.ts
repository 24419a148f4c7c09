import { useEffect, useRef } from 'react'
import type { FocusEvent } from 'react'

/**
 * A field or button that is disabled loses the focus. What had it in this form has it again when the form is enabled,
 * unless something else took it meanwhile.
 */
export const useFocusAgain = (isDisabled: boolean) => {
  const last = useRef<Element>(null)
  useEffect(() => {
    if (!isDisabled && document.activeElement === document.body && last.current instanceof HTMLElement)
      last.current.focus()
  }, [isDisabled])
  return {
    onFocus: ({ target }: FocusEvent) => {
      last.current = target
    },
  }
}
