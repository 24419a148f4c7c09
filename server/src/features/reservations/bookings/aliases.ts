import { Type, type TObject, type TSchema } from 'typebox'
import { validationError } from '#errors.ts'
import { BookingInput } from './booking.ts'

/**
 * The body with the member names of its schema, for those in snake_case: `unitId` for `unit_id`. A member that is given
 * twice is left for the validator.
 */
export function replaceAliases(body: unknown, { properties }: TObject = BookingInput): unknown {
  if (!body || typeof body !== 'object' || Array.isArray(body)) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const canonical = toCamelCase(name)
      return [
        Object.hasOwn(properties, canonical) && !Object.hasOwn(body, canonical) ? canonical : name,
        value,
      ]
    }),
  )
}

/** Adds camelCase aliases to query parameters: `unitId` for `unit_id`. */
export function withAliases<Query extends Record<string, TSchema>>(query: Query): Query {
  const names = Object.keys(query).filter((name) => name !== toCamelCase(name) && !snakeCaseFields.has(name))
  const others = names.map((name) => {
    const alias = { ...query[name]!, description: `Same as \`${name}\`.` }
    return [toCamelCase(name), Type.Optional(alias)]
  })
  return { ...query, ...(Object.fromEntries(others) as object) }
}

/** These have no alias: a booking has them in snake_case, too. */
const snakeCaseFields = new Set(['org_id', 'account_id'])

/** The query in snake_case. @throws BadRequest when a parameter is given by both names */
export function replaceQueryAliases(query: object): object {
  const found = new Map<string, unknown>()
  for (const [name, value] of Object.entries(query)) {
    const canonical = toSnakeCase(name)
    if (found.has(canonical)) throw duplicateParameter(name, canonical)
    found.set(canonical, canonical === 'sort' && typeof value === 'string' ? toSnakeCase(value) : value)
  }
  return Object.fromEntries(found)
}

const duplicateParameter = (name: string, canonical: string) =>
  validationError(
    name,
    `\`${canonical}\` and \`${toCamelCase(canonical)}\` are the same parameter: send one of them.`,
    'duplicate',
  )

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
