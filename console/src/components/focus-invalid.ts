import { useEffect, useRef } from 'react'

/** The first field of a form that is wrong gets the focus when the form fails, so that it is in view. */
export const useFocusInvalid = (failure: unknown) => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (failure) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [failure])
  return form
}
