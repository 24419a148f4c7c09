import type { ChangeEvent, ComponentProps } from 'react'

import { useFormat } from '../i18n/format.ts'
import { useTypedValue } from './use-typed-value.ts'

/** The earliest date of the API. While somebody types a year, its first digits are the years 2, 20 and 202. */
const minDate = '1970-01-01'

interface DateInputProps extends ComponentProps<'input'> {
  value: string
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
}

/** A field for a date. Browsers write it in their own language, whatever the page is in: its title is in that of the page. */
export const DateInput = ({ onChange, ...props }: DateInputProps) => {
  const format = useFormat()
  const typed = useTypedValue(props.value)
  const isDate = !Number.isNaN(Date.parse(props.value))
  return (
    <input
      type="date"
      title={isDate ? format.longDate(props.value) : undefined}
      {...props}
      {...typed}
      onChange={(event) => {
        const { value } = event.currentTarget
        if (!value || value >= minDate) onChange(event)
      }}
    />
  )
}
