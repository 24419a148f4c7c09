import { Type, type TSchema } from 'typebox'
import { Malformed } from '#errors.ts'
import { BookingInput } from './booking.ts'

/** What a member may be spelled like beside its own name: `unit_id` for `unitId`. */
const spellings = new Map(
  Object.keys(BookingInput.properties).flatMap((name) => {
    const snake = inSnakeCase(name)
    return snake === name ? [] : [[snake, name]]
  }),
)

/** The body with its members spelled as the contract does. One that is named both ways is left for the validator. */
export function respelled(body: unknown): unknown {
  if (!body || typeof body !== 'object' || Array.isArray(body)) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const own = spellings.get(name)
      return [own && !Object.hasOwn(body, own) ? own : name, value]
    }),
  )
}

/** The parameters of a list of bookings also as the fields of a booking are spelled: `unitId` for `unit_id`. */
export function inBothSpellings<Query extends Record<string, TSchema>>(query: Query): Query {
  const names = Object.keys(query).filter((name) => name !== inCamelCase(name) && !literal.has(name))
  const others = names.map((name) => {
    const alias = { ...query[name]!, description: `Same as \`${name}\`.` }
    return [inCamelCase(name), Type.Optional(alias)]
  })
  return { ...query, ...(Object.fromEntries(others) as object) }
}

/** Fields that a booking has in snake_case, like every record. */
const literal = new Set(['org_id', 'account_id'])

/** The query in snake_case, as columns are. @throws Malformed when a parameter is given in both spellings. */
export function respelledQuery(query: object): object {
  const found = new Map<string, unknown>()
  for (const [name, value] of Object.entries(query)) {
    const own = inSnakeCase(name)
    if (found.has(own)) throw givenTwice(name, own)
    found.set(own, own === 'sort' && typeof value === 'string' ? inSnakeCase(value) : value)
  }
  return Object.fromEntries(found)
}

function givenTwice(name: string, own: string): Malformed {
  const message = `\`${own}\` and \`${inCamelCase(own)}\` are the same parameter: send one of them.`
  return new Malformed('validation-error', message, {
    faults: [{ pointer: `/${name}`, code: 'duplicate', message }],
  })
}

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function inCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
