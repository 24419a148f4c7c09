import { useMessages } from '../../i18n/language.tsx'
import { calendarMessages } from './messages.ts'
import styles from './calendar.module.css'

const entries = ['stay', 'pendingStay', 'blocked', 'closed', 'weekend', 'sending', 'atPms', 'failed'] as const
const signs: Partial<Record<(typeof entries)[number], string>> = {
  closed: '120',
  sending: '↻',
  atPms: '✓',
  failed: '!',
}

/** What the shapes and colours of the calendar mean. */
export const Legend = () => {
  const text = useMessages(calendarMessages)
  return (
    <ul className={styles.legend} aria-label={text('legend')}>
      {entries.map((entry) => (
        <li key={entry}>
          <span aria-hidden="true" data-sign={entry}>
            {signs[entry]}
          </span>
          {text(entry)}
        </li>
      ))}
    </ul>
  )
}
