import type { ReactNode } from 'react'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { editorMessages } from './editor-messages.ts'
import { dateOf, weekdays } from './nights.ts'
import type { Weekday } from './nights.ts'
import styles from './editor-fields.module.css'

export const Field = ({ label, children }: { label: string; children: ReactNode }) => (
  <label className={styles.field}>
    <span>{label}</span>
    {children}
  </label>
)

interface SegmentsProps<T extends string> {
  label: string
  name: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
  /** What the choice needs to know. */
  children?: ReactNode
}

/** One of a few choices, all of them visible: a click where a select would need two. */
export const Segments = <T extends string>(props: SegmentsProps<T>) => (
  <fieldset className={styles.segments}>
    <legend>{props.label}</legend>
    <div>
      {props.options.map(({ value, label }) => (
        <label key={value}>
          <input
            type="radio"
            name={props.name}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </div>
    {props.children}
  </fieldset>
)

interface WeekdayPickerProps {
  value: readonly Weekday[]
  onChange: (value: Weekday[]) => void
}

/** Which nights of the selected ones are meant. */
export const WeekdayPicker = ({ value, onChange }: WeekdayPickerProps) => {
  const text = useMessages(editorMessages)
  const format = useFormat()
  return (
    <fieldset className={styles.weekdays}>
      <legend>{text('onlyOn')}</legend>
      {weekdays.map((weekday, index) => (
        <label key={weekday}>
          <input
            type="checkbox"
            checked={value.includes(weekday)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(weekdays.filter((one) => (one === weekday ? checked : value.includes(one))))
            }
          />
          <span>{format.weekday(dateOf(4 + index))}</span>
        </label>
      ))}
    </fieldset>
  )
}
