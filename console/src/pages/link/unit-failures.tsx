import { useState } from 'react'

import { useToast } from '../../components/toast.tsx'
import { useIsShown } from '../../components/use-is-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { linkMessages } from './messages.ts'
import styles from './link.module.css'

export interface UnitFailure {
  name: string
  reason: string
}

/** Which units a step failed for, each with its reason. */
export const UnitFailures = ({ failed }: { failed: readonly UnitFailure[] }) => {
  const text = useMessages(linkMessages)
  if (failed.length === 0) return null
  return (
    <div className={styles.failed} role="alert">
      {text('failedUnits', { count: failed.length })}
      <ul>
        {failed.map(({ name, reason }) => (
          <li key={name}>
            {name}: {reason}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The units that a step failed for; a toast says so where the step was left meanwhile. */
export const useUnitFailures = (before: readonly UnitFailure[] = []) => {
  const [failed, showFailed] = useState(before)
  const text = useMessages(linkMessages)
  const toast = useToast()
  const isShown = useIsShown()
  const setFailed = (next: readonly UnitFailure[]) => {
    const [first] = next
    if (isShown.current || !first) showFailed(next)
    else toast({ message: `${text('failedUnits', { count: next.length })}. ${first.name}: ${first.reason}` })
  }
  return [failed, setFailed] as const
}
