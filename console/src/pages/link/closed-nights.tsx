import { useMessages } from '../../i18n/language.tsx'
import { linkMessages } from './messages.ts'
import styles from './check.module.css'

interface ClosedNightsProps {
  count: number
  opens: boolean
  onChange: (opens: boolean) => void
}

/** Nights that somebody closed at the PMS stay closed, unless a person says otherwise. */
export const ClosedNights = ({ count, opens, onChange }: ClosedNightsProps) => {
  const text = useMessages(linkMessages)
  return (
    <fieldset className={styles.closed}>
      <legend>{text('closedTitle', { count })}</legend>
      <p>{text('closedText')}</p>
      <label>
        <input type="radio" name="closed" checked={!opens} onChange={() => onChange(false)} />
        {text('keepClosed')}
      </label>
      <label>
        <input type="radio" name="closed" checked={opens} onChange={() => onChange(true)} />
        {text('openThem')}
      </label>
    </fieldset>
  )
}
