import { TextInput } from '@mantine/core'

import { useLanguage, useMessages } from '../../i18n/language.tsx'
import { moneyMessages } from '../../i18n/money-messages.ts'
import { readPrice } from '../../i18n/money.ts'

interface AmountFieldProps {
  label: string
  currency: string
  typed: string
  onType: (typed: string) => void
}

/** An amount in the person's own format, with its fault below it. */
export const AmountField = ({ label, currency, typed, onType }: AmountFieldProps) => {
  const fault = useAmount(typed, currency).fault
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      rightSection={<span>{currency.toUpperCase()}</span>}
      rightSectionWidth={48}
      value={typed}
      error={fault}
      onChange={(event) => onType(event.currentTarget.value)}
    />
  )
}

/** What was typed in minor units, or why it cannot be read. */
export const useAmount = (
  typed: string,
  currency: string,
): { cents: number | null; fault: string | null } => {
  const { locale } = useLanguage()
  const text = useMessages(moneyMessages)
  const read = readPrice(typed, currency, locale)
  return 'fault' in read
    ? { cents: null, fault: text(read.fault.key, read.fault.values) }
    : { cents: read.priceCents, fault: null }
}
