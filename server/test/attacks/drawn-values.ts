import fc from 'fast-check'
import { dateOf } from '#schema/nights.ts'
import { resolveSchema, type Schema } from '../operations.ts'
import { oddDates, oddNumbers, oddText, oddValues } from './odd-values.ts'

/** Values generated from the schemas of the contract: valid, almost valid, or arbitrary. */

/** Placeholders for ids, which are filled in when a request is sent, so that a seed always generates the same requests. */
export interface Choice {
  whose: 'own' | 'foreign' | 'unknown'
  nth: number
}

export const isChoice = (value: unknown): value is Choice =>
  typeof value === 'object' && value !== null && 'whose' in value && 'nth' in value

export const someId = fc.record({
  whose: fc.constantFrom<Choice['whose']>(...Array<'own'>(10).fill('own'), 'foreign', 'unknown'),
  nth: fc.nat(30),
})

/** A value in one of `oneIn` cases, otherwise `nothing`. */
export const rarely = <T, N>(oneIn: number, arbitrary: fc.Arbitrary<T>, nothing: N) =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(nothing) }, { weight: 1, arbitrary })

/** Mostly valid values, sometimes values at a limit, rarely anything. */
const nearly = (schema: Schema, name = ''): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 20, arbitrary: fitting(schema, name) },
    { weight: 3, arbitrary: edges(schema) },
    { weight: 1, arbitrary: oddValues },
  )

/** A value that is valid for the schema. */
function fitting(found: Schema, name: string): fc.Arbitrary<unknown> {
  const schema = resolveSchema(found)
  // Waiting for events would delay the whole run.
  if (name === 'wait') return fc.constantFrom(0)
  if (name === 'cursor' || name === 'after') return someId
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const ofFormat = formats[schema.format ?? '']
  if (ofFormat) return ofFormat
  if (schema.type === 'string') return textFor(schema)
  if (schema.type === 'integer') return wholeFor(schema)
  if (schema.type === 'number') return wholeFor(schema).map((value) => value / 2)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'array')
    return fc.array(fitting(schema['items'] as Schema, name), {
      minLength: Math.min(Number(schema['minItems'] ?? 0), 3),
      maxLength: 4,
    })
  if (schema.properties) return members(schema)
  return rarely(200, oddValues, undefined)
}

/** Dates in a narrow range, so that stays overlap. */
const nearDays = fc.integer({ min: 22_000, max: 22_060 }).map(dateOf)
const days = fc.oneof(
  { weight: 5, arbitrary: nearDays },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 84_000 }).map(dateOf) },
)

const formats: Record<string, fc.Arbitrary<unknown>> = {
  uuid: someId,
  date: days,
  'day-or-time': fc.oneof(
    days,
    days.map((day) => `${day}T12:00:00Z`),
  ),
  'date-time': fc
    .date({ min: new Date(0), max: new Date('2200-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  currency: fc.constantFrom('eur', 'eur', 'eur', 'usd', 'jpy', 'kwd'),
  country: fc.constantFrom('PT', 'DE'),
  'time-zone': fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia'),
  // Nothing is asked of anybody outside of this machine.
  uri: fc.constantFrom(
    'http://127.0.0.1:9/',
    'https://partner.invalid/a?b=c#d',
    'http://user:pass@127.0.0.1:9',
  ),
}

const textFor = (schema: Schema): fc.Arbitrary<string> => {
  const { pattern, maxLength = 50 } = schema
  const plain = fc.string({ unit: 'grapheme', maxLength: Math.min(Number(maxLength), 60) })
  if (typeof schema['example'] === 'string') return fc.constantFrom(schema['example'])
  if (typeof pattern !== 'string' || pattern === '\\S' || /\\u0000|\(\?[!=]/.test(pattern))
    return fc.oneof(plain, fc.constantFrom('Ana', 'casa', 'ana@casa.example'))
  return fc.stringMatching(new RegExp(pattern), { size: 'small' })
}

const wholeFor = ({ minimum = 0, maximum }: Schema) =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.integer({ min: minimum, max: Math.min(Number(maximum ?? 10), minimum + 10) }),
    },
    {
      weight: 1,
      arbitrary: fc.integer({ min: minimum, max: Math.min(Number(maximum ?? 1_000), 2 ** 31 - 1) }),
    },
    { weight: 1, arbitrary: fc.constantFrom(minimum, Number(maximum ?? 0)) },
  )

/** A record that is valid in most cases, so that enough are created. */
export function members(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const { required = [] } = schema
  return fc.oneof(
    { weight: 4, arbitrary: sparse(schema) },
    { weight: 2, arbitrary: fc.record(drawnEach(schema, fitting), { requiredKeys: required }) },
    { weight: 2, arbitrary: fc.record(drawnEach(schema, nearly), { requiredKeys: required }) },
  )
}

const drawnEach = (
  { properties = {} }: Schema,
  draw: (schema: Schema, name: string) => fc.Arbitrary<unknown>,
) => Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, draw(schema, name)]))

/** The required members, those of the example, and few others, so that members which exclude each other are rare. */
function sparse(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [] } = schema
  const example = (schema['example'] ?? {}) as Record<string, unknown>
  const draw = (found: Schema, name: string) => {
    const isId = resolveSchema(found).format === 'uuid'
    if (name in example && !isId) return rarely(4, fitting(found, name), example[name])
    return required.includes(name) || name in example
      ? fitting(found, name)
      : rarely(10, fitting(found, name), undefined)
  }
  return fc
    .record(drawnEach({ properties }, draw))
    .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)))
}

/** The last valid value and the first invalid one. */
function edges(found: Schema): fc.Arbitrary<unknown> {
  const schema = resolveSchema(found)
  const { type, format, minimum, maximum, minLength, maxLength } = schema as Record<
    string,
    number | undefined
  > &
    Schema
  if (schema.enum)
    return fc.constantFrom(...schema.enum.map((one) => String(one).toUpperCase()), ` ${schema.enum[0]}`, '')
  if (format === 'uuid')
    return someId.chain((choice) =>
      fc.constantFrom<unknown>(choice, '', '{}', '0'.repeat(36), 'g'.repeat(36)),
    )
  if (format === 'date' || format === 'date-time' || format === 'day-or-time') return oddDates
  if (type === 'integer' || type === 'number') {
    const ends = [minimum, maximum].filter((end) => end !== undefined)
    const near = ends.flatMap((end) => [end - 1, end, end + 1, end + 0.5, String(end)])
    return fc.oneof(oddNumbers, fc.constantFrom<unknown>(...near, 0))
  }
  if (type === 'string') {
    const longest = Math.min(maxLength ?? 0, 100_000)
    const lengths = [minLength ?? 0, (minLength ?? 1) - 1, longest, longest + 1].filter(
      (length) => length >= 0,
    )
    return fc.oneof(
      oddText,
      fc.constantFrom(...lengths, 0).map((length) => 'é'.repeat(length)),
    )
  }
  if (type === 'array')
    return fc.constantFrom<unknown>([], [null], [[]], 'x', Array(30).fill('x'), ['x', 'x'])
  if (schema.properties) return members({ ...schema, required: [] })
  return oddValues
}
