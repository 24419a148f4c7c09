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
