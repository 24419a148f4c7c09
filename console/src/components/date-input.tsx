import type { ComponentProps } from 'react'

import { useFormat } from '../i18n/format.ts'

/** A field for a date. Browsers write it in their own language, whatever the page is in: its title is in that of the page. */
export const DateInput = (props: ComponentProps<'input'> & { value: string }) => {
  const format = useFormat()
  const isDate = !Number.isNaN(Date.parse(props.value))
  return <input type="date" title={isDate ? format.longDate(props.value) : undefined} {...props} />
}
