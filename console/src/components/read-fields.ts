import { useFormat } from '../i18n/format.ts'
import { useMessages } from '../i18n/language.tsx'
import { moneyMessages } from '../i18n/money-messages.ts'
import { readPrice } from '../i18n/money.ts'
import { componentMessages } from './component-messages.ts'
import { InvalidFields } from './invalid-fields.ts'
import type { Draft } from './record-form.ts'

/** Reads typed fields; what cannot be read becomes the fault of its field. */
export interface FieldReader {
  text: (name: string) => string
  optionalText: (name: string) => string | null
  number: (name: string) => number
  optionalNumber: (name: string) => number | null
  money: (name: string, currency: string) => number
  optionalMoney: (name: string, currency: string) => number | null
}

/** Builds what is sent from a draft. @throws InvalidFields that names every field that cannot be read */
export const useReadFields = () => {
  const text = useMessages(componentMessages)
  const moneyText = useMessages(moneyMessages)
  const { locale } = useFormat()
  return <T>(draft: Draft, build: (read: FieldReader) => T): T => {
    const faults: Partial<Record<string, string>> = {}
    const typed = (name: string) => draft[name]?.trim() ?? ''
    const number = (name: string) => {
      const value = Number(typed(name).replace(',', '.'))
      if (typed(name) === '' || !Number.isFinite(value)) faults[name] = text('aNumber')
      return value
    }
    const money = (name: string, currency: string) => {
      const read = readPrice(typed(name), currency, locale)
      if ('priceCents' in read) return read.priceCents
      faults[name] = moneyText(read.fault.key, read.fault.values)
      return 0
    }
    const body = build({
      text: (name) => {
        if (!typed(name)) faults[name] = text('fillIn')
        return typed(name)
      },
      optionalText: (name) => typed(name) || null,
      number,
      optionalNumber: (name) => (typed(name) ? number(name) : null),
      money,
      optionalMoney: (name, currency) => (typed(name) ? money(name, currency) : null),
    })
    if (Object.keys(faults).length > 0) throw new InvalidFields(faults)
    return body
  }
}
