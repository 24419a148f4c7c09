import { TextInput } from '@mantine/core'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { moneyMessages } from '../../i18n/money-messages.ts'
import { readPrice } from '../../i18n/money.ts'
import { paymentMessages } from './payment-messages.ts'

interface AmountFieldProps {
  label: string
  currency: string
  typed: string
  fault: string | null
  onType: (typed: string) => void
}

/** An amount in the person's own format, with its fault below it. */
export const AmountField = ({ label, currency, typed, fault, onType }: AmountFieldProps) => (
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

/** What was typed in minor units, or why it cannot be used. */
export const useAmount = (
  typed: string,
  currency: string,
  maxCents: number,
): { cents: number | null; fault: string | null } => {
  const format = useFormat()
  const word = useMessages(moneyMessages)
  const text = useMessages(paymentMessages)
  const read = readPrice(typed, currency, format.locale)
  const fail = (fault: string) => ({ cents: null, fault })
  if ('fault' in read) return fail(word(read.fault.key, read.fault.values))
  if (read.priceCents === 0) return fail(text('nothing'))
  if (read.priceCents > maxCents) return fail(text('atMost', { amount: format.money(maxCents, currency) }))
  return { cents: read.priceCents, fault: null }
}
