import { useEffect } from 'react'

import { focusNear } from '../components/focus-near.ts'

/**
 * Gives the focus of the keyboard to what is near when its element is removed: a deleted row, a button that was replaced,
 * a screen that was left. Otherwise it falls to the page, and a screen reader begins at the top again.
 */
export const useKeepFocus = () => {
  useEffect(() => {
    let isKeyboard = false
    const press = ({ type }: Event) => {
      isKeyboard = type === 'keydown'
    }
    const blur = ({ target, relatedTarget }: FocusEvent) => {
      if (!isKeyboard || relatedTarget || !(target instanceof Element)) return
      const focusRest = focusNear(target)
      // What appears in its place may take the focus itself.
      setTimeout(() => {
        if (!target.isConnected && document.activeElement === document.body) focusRest()
      })
    }
    document.addEventListener('keydown', press, true)
    document.addEventListener('pointerdown', press, true)
    document.addEventListener('focusout', blur)
    return () => {
      document.removeEventListener('keydown', press, true)
      document.removeEventListener('pointerdown', press, true)
      document.removeEventListener('focusout', blur)
    }
  }, [])
}
