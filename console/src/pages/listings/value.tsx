import { writeMoney } from '../../parts/money.ts'

/** One value of a record, written for people. */
export const Value = ({ field, value, currency }: { field: string; value: unknown; currency: string }) => (
  <>{written(field, value, currency)}</>
)

const written = (field: string, value: unknown, currency: string): string => {
  if (value === null || value === undefined || value === '') return 'nothing'
  if (typeof value === 'number')
    return field.endsWith('_cents') ? writeMoney(value, currency) : value.toLocaleString()
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map((one) => written(field, one, currency)).join(', ')
  return Object.entries(value)
    .filter(([, inner]) => inner !== null && inner !== '')
    .map(([name, inner]) => `${name.replaceAll('_', ' ')}: ${written(name, inner, currency)}`)
    .join(' · ')
}
