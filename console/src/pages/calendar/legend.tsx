import { useMessages } from '../../i18n/language.tsx'
import { calendarMessages } from './messages.ts'
import bars from './booking-bar.module.css'
import styles from './calendar.module.css'

const kinds = ['confirmed', 'checked_in', 'checked_out', 'pending', 'hold', 'conflict'] as const
const signs = { checked_in: '●', pending: '?', hold: '◷', conflict: '!' } as const
const entries = ['blocked', 'closed', 'sending', 'atPms', 'failed'] as const
const entrySigns = { blocked: '', closed: '120', sending: '↻', atPms: '✓', failed: '!' }

/** What the shapes, signs and colours of the calendar mean. */
export const Legend = () => {
  const text = useMessages(calendarMessages)
  return (
    <ul className={styles.legend} aria-label={text('legend')}>
      {kinds.map((kind) => (
        <li key={kind}>
          <span aria-hidden="true" className={`${bars.bar} ${styles.sample}`} data-kind={kind}>
            {kind in signs && signs[kind as keyof typeof signs]}
          </span>
          {text(kind)}
        </li>
      ))}
      {entries.map((entry) => (
        <li key={entry}>
          <span aria-hidden="true" className={styles.sign} data-sign={entry}>
            {entrySigns[entry]}
          </span>
          {text(entry)}
        </li>
      ))}
    </ul>
  )
}
