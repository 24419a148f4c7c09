import { invalid, maxCents, matching, orNull, record, text, integer, boolean, type Check } from './checks.ts'

export type Space = {
  name: string
  address: string | null
  city: string | null
  state: string | null
  zip: string | null
  country: string | null
  timezone: string
  description: string | null
  amenities: string[]
  photos?: Photo[]
}

export type Photo = { url: string; position: number; description: string | null }

/** The fields of a unit that the caller sets. */
export type UnitFields = {
  name: string
  type: string
  bedrooms: number
  bathrooms: number
  max_guests: number
  quantity: number
  base_price_cents: number
  currency: string
  open: boolean
  photos?: Photo[]
  space: Space
}

/** A stored unit. It is never changed in place, because replies and kept answers refer to it. */
export type Unit = { external_id: string } & UnitFields & { revision: number; updated_at: string }

const spaceChecks: Record<string, Check> = {
  name: text(1, 255),
  address: orNull(text(0, 1000)),
  city: orNull(text(0, 255)),
  state: orNull(text(0, 255)),
  zip: orNull(text(0, 255)),
  country: orNull(matching(/^[A-Z]{2}$/, 'a two-letter country code')),
  timezone,
  description: orNull(text(0, 65_535)),
  amenities,
  photos,
}

const unitChecks: Record<string, Check> = {
  name: text(1, 255),
  type: text(1, 255),
  bedrooms: integer(0, 10_000),
  bathrooms: halfSteps,
  max_guests: integer(1, 10_000),
  quantity: integer(0, 10_000),
  base_price_cents: integer(0, maxCents),
  currency: matching(/^[a-z]{3}$/, 'a lower-case currency code'),
  open: boolean,
  photos,
}

const photoChecks: Record<string, Check> = {
  url: matching(/^https?:\/\/[^\s]{1,2000}$/, 'a web address'),
  position: integer(0, 10_000),
  description: orNull(text(0, 1000)),
}

/** Reads the whole unit of a PUT. */
export function readUnit(body: unknown, externalId: string): UnitFields {
  return read(body, externalId, undefined)
}

/** Reads a PATCH, in which a nested space may be partial too. */
export function readChange(body: unknown, before: Unit): UnitFields {
  return read(body, before.external_id, before)
}

function read(body: unknown, externalId: string, before: Unit | undefined): UnitFields {
  const { external_id = externalId, space, ...given } = record(body, '')
  if (external_id !== externalId) throw invalid('external_id', 'differs from the path')
  const fields = check(given, unitChecks, before, '')
  if (space === undefined && !before) throw invalid('space', 'is missing')
  const checkedSpace =
    space === undefined ? before?.space : check(record(space, 'space'), spaceChecks, before?.space, 'space.')
  return { ...fields, space: checkedSpace } as UnitFields
}

function check(given: object, checks: Record<string, Check>, before: object | undefined, prefix: string) {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(checks, name)) throw invalid(prefix + name, 'is not known')
  }
  const present: Record<string, unknown> = { ...before, ...given }
  const checked: Record<string, unknown> = {}
  for (const [name, errorOf] of Object.entries(checks)) {
    if (name === 'photos' && present[name] === undefined) continue
    if (present[name] === undefined) throw invalid(prefix + name, 'is missing')
    const message = errorOf(present[name])
    if (message) throw invalid(prefix + name, message)
    checked[name] = present[name]
  }
  return checked
}

function halfSteps(value: unknown) {
  return Number.isInteger(Number(value) * 2) && typeof value === 'number' && value >= 0 && value <= 10_000
    ? undefined
    : 'must be a number in steps of one half'
}

const knownTimezones = new Set<string>()

function timezone(value: unknown) {
  if (typeof value !== 'string') return 'must be text'
  if (knownTimezones.has(value)) return undefined
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    knownTimezones.add(value)
    return undefined
  } catch {
    return 'must be an IANA time zone'
  }
}

/** Photos may be left out. */
function photos(value: unknown) {
  if (!Array.isArray(value)) return 'must be a list'
  if (value.length > 500) return 'must have at most 500 entries'
  for (const photo of value) {
    const given = Object(photo) as Record<string, unknown>
    if (Object.keys(given).some((name) => !Object.hasOwn(photoChecks, name)))
      return 'has a photo with an unknown member'
    for (const [name, errorOf] of Object.entries(photoChecks)) {
      const message = errorOf(given[name])
      if (message) return `${name} of a photo ${message}`
    }
  }
  return undefined
}

function amenities(value: unknown) {
  if (!Array.isArray(value)) return 'must be a list'
  if (value.length > 1000) return 'must have at most 1000 entries'
  return value.map(text(1, 255)).find((message) => message !== undefined)
}
