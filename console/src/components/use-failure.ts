import { useState } from 'react'

import { useFailureText } from '../i18n/failure-text.ts'
import { useToast } from './toast.tsx'
import { useIsShown } from './use-is-shown.ts'

/** Why something failed, to be shown beside it; a toast says so where it was closed or left meanwhile. */
export const useFailure = <Failure = unknown>() => {
  const [failure, showFailure] = useState<Failure | null>(null)
  const describe = useFailureText()
  const toast = useToast()
  const isShown = useIsShown()
  const setFailure = (cause: Failure | null) => {
    if (cause === null || isShown.current) showFailure(cause)
    else toast({ message: describe(cause) })
  }
  return [failure, setFailure] as const
}
