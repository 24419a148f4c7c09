import { useNavigate } from '@tanstack/react-router'
import type { UseNavigateResult } from '@tanstack/react-router'

import { useIsShown } from './use-is-shown.ts'

/** Navigates on after an action, unless the user has left the screen meanwhile. */
export const useNavigateIfShown = () => {
  const navigate = useNavigate()
  const isShown = useIsShown()
  const navigateIfShown = async (...args: Parameters<typeof navigate>) => {
    if (isShown.current) await navigate(...args)
  }
  return navigateIfShown as UseNavigateResult<string>
}
