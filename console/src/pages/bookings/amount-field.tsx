import { useState } from 'react'
import { TextInput } from '@mantine/core'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { moneyMessages } from '../../i18n/money-messages.ts'
import { readPrice, writePlain } from '../../i18n/money.ts'
import { paymentMessages } from './payment-messages.ts'

type Amount = ReturnType<typeof useAmount>

/** An amount in the person's own format, with its fault below it. */
export const AmountField = ({ amount: { currency, typed, setTyped, fault } }: { amount: Amount }) => {
  const text = useMessages(paymentMessages)
  return (
    <TextInput
      label={text('amount')}
      inputMode="decimal"
      rightSection={<span>{currency.toUpperCase()}</span>}
      rightSectionWidth={48}
      value={typed}
      error={fault}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  )
}

/** What is typed, at first the highest amount unless another is given. `read` returns it in minor units, or throws why it cannot be used. */
export const useAmount = (currency: string, maxCents: number, firstCents = maxCents) => {
  const format = useFormat()
  const word = useMessages(moneyMessages)
  const text = useMessages(paymentMessages)
  const [typed, setTyped] = useState(writePlain(firstCents, currency, format.locale))
  const price = readPrice(typed, currency, format.locale)
  const findFault = () => {
    if ('fault' in price) return word(price.fault.key, price.fault.values)
    if (price.priceCents === 0) return text('nothing')
    if (price.priceCents > maxCents) return text('atMost', { amount: format.money(maxCents, currency) })
    return null
  }
  const fault = findFault()
  const read = (): number => {
    if ('fault' in price || fault !== null) throw new Error(fault ?? '')
    return price.priceCents
  }
  return { currency, typed, setTyped, fault, read }
}
