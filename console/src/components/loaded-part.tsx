import { createElement, useEffect, useRef, useState } from 'react'
import type { ComponentType, KeyboardEvent, ReactNode } from 'react'

import { useFailureText } from '../i18n/failure-text.ts'
import { useToast } from './toast.tsx'

interface WhileLoading {
  /** Shown until the part is loaded. */
  placeholder?: ReactNode
  /** Hides the part, which could not be loaded, so that it can be opened again. */
  onMissing: () => void
}

/**
 * A part of a screen that is loaded when it is first opened. If it cannot be loaded, a toast says so and the screen stays,
 * where `lazy` of React would replace the screen, and never try again.
 */
export const loadedPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  let loaded: ComponentType<Props> | undefined
  return ({ placeholder, onMissing, ...props }: Props & WhileLoading) => {
    const [part, setPart] = useState(() => loaded)
    const toast = useToast()
    const describe = useFailureText()
    useEffect(() => {
      if (part) return
      load().then(
        (found) => {
          loaded = found
          setPart(() => found)
        },
        (failure: unknown) => {
          toast({ message: describe(failure) })
          onMissing()
        },
      )
    }, [])
    return part ? createElement(part, props as unknown as Props) : placeholder
  }
}

/**
 * The state of a list that is loaded when its button is first pressed: open at first. The button is another element than
 * the one that was pressed, so that it takes the focus, to which the list returns it. Until the list has the focus, Escape
 * on the button closes it.
 */
export const useOpenAtOnce = () => {
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    button.current?.focus({ preventScroll: true })
    setOpen(true)
  }, [])
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') setOpen(false)
  }
  return { button: { ref: button, onKeyDown }, isOpen, setOpen }
}
