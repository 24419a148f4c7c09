import { useEffect, useRef } from 'react'

/** Whether the component is still on the screen, for what ends after it may have been closed or left. */
export const useIsShown = () => {
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return isShown
}
