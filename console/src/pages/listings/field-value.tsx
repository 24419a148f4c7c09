import { useFormat } from '../../i18n/format.ts'
import type { Format } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { unitTypeMessages } from '../../i18n/record-messages.ts'
import { nameOf } from './accepted-values.ts'
import { fieldMessages } from './field-messages.ts'

type FieldText = (key: keyof (typeof fieldMessages)['en']) => string

/** The name of a member of a unit for people: `Base price`, not `base_price_cents`. */
export const FieldName = ({ field }: { field: string }) => {
  const text = useMessages(fieldMessages)
  return <>{isKnown(field) ? text(field) : nameOf(field)}</>
}

/** One value of a record for people: money with its currency, `not set` instead of null. */
export const FieldValue = ({
  field,
  value,
  currency,
}: {
  field: string
  value: unknown
  currency: string
}) => {
  const text = useMessages(fieldMessages)
  const format = useFormat()
  const typeText = useMessages(unitTypeMessages)
  if (field === 'type' && isUnitType(value)) return <>{typeText(value)}</>
  return <>{write(field, value, { currency, text, format })}</>
}

interface Writing {
  currency: string
  text: FieldText
  format: Format
}

const write = (field: string, value: unknown, writing: Writing): string => {
  const { currency, text, format } = writing
  if (value === null || value === undefined || value === '') return text('notSet')
  if (typeof value === 'number')
    return field.endsWith('_cents') ? format.money(value, currency) : format.number(value)
  if (typeof value === 'boolean') return text(value ? 'yes' : 'no')
  if (typeof value === 'string') return value
  if (Array.isArray(value))
    return value.length === 0 ? text('none') : value.map((one) => write(field, one, writing)).join(', ')
  return Object.entries(value)
    .filter(([, inner]) => inner !== null && inner !== '')
    .map(([name, inner]) => `${name.replaceAll('_', ' ')}: ${write(name, inner, writing)}`)
    .join(' · ')
}

const isUnitType = (value: unknown): value is keyof (typeof unitTypeMessages)['en'] =>
  typeof value === 'string' && Object.hasOwn(unitTypeMessages.en, value)

const isKnown = (field: string): field is keyof (typeof fieldMessages)['en'] =>
  Object.hasOwn(fieldMessages.en, field)
