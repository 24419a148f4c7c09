import { ApiError } from './envelope.ts'
import {
  amount,
  float,
  integer,
  isWebAddress,
  oneOf,
  readFields,
  readObject,
  text,
  type Check,
  type Checks,
  type Values,
} from './fields.ts'

export type Image = { id: number; url: string; caption: string | null; sortOrder: number; readyAtMs: number }

/** A row of `listingAmenities` or `listingBedTypes`. */
export type Row = { id: number } & Values

export type Listing = {
  id: number
  accountId: number
  /** The number of equal units of a multi-unit listing; null for a single one. */
  units: number | null
  /** `archived` protects a listing from every write. */
  specialStatus: 'archived' | null
  insertedOn: string
  updatedOn: string
  fields: Values
  listingImages: Image[]
  listingAmenities: Row[]
  listingBedTypes: Row[]
}

const policies = ['flexible', 'moderate', 'firm', 'strict', 'no_refund']

/** The members that create and update set. Others are ignored. */
const settable: Checks = {
  ...named('propertyTypeId personCapacity bedroomsNumber bedsNumber guestBathroomsNumber', integer),
  ...named('minNights maxNights guestsIncluded checkInTimeStart checkInTimeEnd checkOutTime', integer),
  ...named('maxChildrenAllowed maxInfantsAllowed maxPetsAllowed instantBookable', integer),
  ...named('bathroomsNumber squareMeters lat lng starRating', float),
  ...named('price cleaningFee priceForExtraPerson refundableDamageDeposit', amount),
  ...named('name externalListingName internalListingName description houseRules thumbnailUrl', text),
  ...named('keyPickup specialInstruction doorSecurityCode wifiUsername wifiPassword', text),
  ...named('countryCode state city street address publicAddress zipcode', text),
  ...named('currencyCode timeZoneName language roomType bathroomType', text),
  ...named('contactName contactSurName contactPhone1 contactEmail', text),
  cancellationPolicy: oneOf(...policies),
}

export function readListing(body: unknown): Values {
  return readFields(body, settable, (name, { kind }) => {
    const value = String((body as Values)[name])
    const label = name === 'cancellationPolicy' ? 'Cancellation policy' : name
    const expected =
      name === 'cancellationPolicy' ? `allowed values: ${policies.join(', ')}` : `it must be ${kind}`
    const fault = `Value '${value}' for field '${label}' is invalid, ${expected}`
    return new ApiError(400, `Listing error: ${name}: ${fault}`, 'message')
  })
}

/** The listing as it is read. Images appear when the vendor has fetched them. */
export function shownListing(listing: Listing, nowMs: number, withResources: boolean) {
  const { id, units, specialStatus, insertedOn, updatedOn, fields } = listing
  const shown = {
    id,
    ...Object.fromEntries(Object.keys(settable).map((name) => [name, null])),
    ...fields,
    country: countryOf(fields['countryCode']),
    specialStatus,
    insertedOn,
    updatedOn,
  }
  if (!withResources) return shown
  return {
    ...shown,
    listingAmenities: listing.listingAmenities,
    listingBedTypes: listing.listingBedTypes,
    listingImages: shownImages(listing, nowMs),
    listingUnits: Array.from({ length: units ?? 0 }, (_, index) => ({ id: id * 1000 + index })),
  }
}

export function shownImages({ listingImages }: Listing, nowMs: number) {
  return listingImages
    .filter(({ readyAtMs }) => readyAtMs <= nowMs)
    .sort((one, other) => one.sortOrder - other.sortOrder)
    .map(({ readyAtMs, ...image }) => image)
}

function named(names: string, check: Checks[string]): Checks {
  return Object.fromEntries(names.split(' ').map((name) => [name, check]))
}

function countryOf(code: unknown) {
  if (typeof code !== 'string' || !/^[A-Z]{2}$/.test(code)) return null
  return new Intl.DisplayNames(['en'], { type: 'region' }).of(code) ?? null
}

type Rows = Pick<Listing, 'listingImages' | 'listingAmenities' | 'listingBedTypes'>

/** The member that identifies a row, and the optional ones. */
type Shape = { key: string; keyCheck: Check; others: Record<string, Check> }

const shapes: Record<keyof Rows, Shape> = {
  listingAmenities: { key: 'amenityId', keyCheck: integer, others: {} },
  listingBedTypes: { key: 'bedTypeId', keyCheck: integer, others: { quantity: integer } },
  listingImages: {
    key: 'url',
    keyCheck: { kind: 'a valid URL', fits: isWebAddress },
    others: { caption: text, sortOrder: integer },
  },
}

/** The lists after those that the body empties. The vendor empties them before it checks the rest. */
export function emptiedRows(body: Values, before: Rows): Rows {
  const rows = (name: keyof Rows) => {
    const list = body[name]
    return Array.isArray(list) && list.length === 0 ? [] : before[name]
  }
  return {
    listingAmenities: rows('listingAmenities') as Row[],
    listingBedTypes: rows('listingBedTypes') as Row[],
    listingImages: rows('listingImages') as Image[],
  }
}

/** The lists after those that the body replaces. A row that is sent again keeps its id. */
export function replacedRows(body: Values, before: Rows, nextId: () => number): Rows {
  const rows = (name: keyof Rows) => {
    const list = body[name]
    if (list === undefined || list === null) return before[name]
    if (!Array.isArray(list)) throw wrong(name, 'it must be an array')
    return list.map((item, index) => {
      const given = readObject(item, `${name} at index ${index}`)
      const row = readRow(name, given)
      const known = (before[name] as Row[]).find((one) => one[shapes[name].key] === given[shapes[name].key])
      return { ...known, ...row, id: known?.id ?? nextId() }
    })
  }
  return {
    listingAmenities: rows('listingAmenities'),
    listingBedTypes: rows('listingBedTypes'),
    listingImages: (rows('listingImages') as Image[]).map((image) => ({
      ...image,
      readyAtMs: image.readyAtMs ?? 0,
      sortOrder: image.sortOrder ?? 0,
    })),
  }
}

function readRow(name: keyof Rows, given: Values): Values {
  const { key, keyCheck, others } = shapes[name]
  if (!keyCheck.fits(given[key])) throw wrong(name, `${key} must be ${keyCheck.kind}`)
  const row: Values = { [key]: given[key] }
  for (const [member, { kind, fits }] of Object.entries(others)) {
    const value = given[member] ?? null
    if (value !== null && !fits(value)) throw wrong(name, `${member} must be ${kind}`)
    row[member] = value
  }
  return row
}

const wrong = (name: string, fault: string) =>
  new ApiError(400, `Listing error: ${name}: ${fault}`, 'message')
