import { useState } from 'react'
import type { ChangeEvent, ComponentProps } from 'react'

import { useFormat } from '../i18n/format.ts'
import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import { maxDate, minDate } from './read-search.ts'
import { useTypedValue } from './use-typed-value.ts'
import styles from './date-input.module.css'

interface DateInputProps extends ComponentProps<'input'> {
  value: string
  min?: string
  max?: string
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
}

/**
 * A field for a date, and below it what is wrong with what was typed. Browsers write it in their own language, whatever
 * the page is in: its title is in that of the page.
 */
export const DateInput = ({ onChange, min = minDate, max = maxDate, ...props }: DateInputProps) => {
  const format = useFormat()
  const text = useMessages(componentMessages)
  const typed = useTypedValue(props.value)
  /** What the field was left with, until it has another value. */
  const [wrong, setWrong] = useState<{ typed: string; before: string; fault: string } | null>(null)
  const fault = wrong?.before === props.value ? wrong.fault : undefined
  const isDate = !Number.isNaN(Date.parse(props.value))
  const faultOf = ({ badInput, rangeUnderflow, rangeOverflow }: ValidityState) => {
    if (badInput) return text('noDate')
    if (rangeUnderflow) return text('minDate', { date: format.date(min) })
    return rangeOverflow ? text('maxDate', { date: format.date(max) }) : null
  }
  return (
    <>
      <input
        type="date"
        title={isDate ? format.longDate(props.value) : undefined}
        aria-invalid={fault !== undefined}
        min={min}
        max={max}
        {...props}
        {...typed}
        value={fault === undefined ? typed.value : wrong?.typed}
        onInput={(event) => {
          setWrong(null)
          typed.onInput(event)
        }}
        onBlur={(event) => {
          const { value, validity } = event.currentTarget
          const found = faultOf(validity)
          setWrong(found === null ? null : { typed: value, before: props.value, fault: found })
          typed.onBlur(event)
        }}
        onChange={(event) => {
          const { value } = event.currentTarget
          // While somebody types a year, its first digits are the years 2, 20 and 202.
          if (!value || (value >= minDate && value <= maxDate)) onChange(event)
        }}
      />
      {fault !== undefined && (
        <span role="alert" className={styles.fault}>
          {fault}
        </span>
      )}
    </>
  )
}
