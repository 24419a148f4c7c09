import { Fail } from './envelope.ts'
import { integer, readObject, text, type Check, type Values } from './fields.ts'
import type { Image, Listing, Row } from './listing.ts'
import { isWebAddress } from './webhook.ts'

type Rows = Pick<Listing, 'listingImages' | 'listingAmenities' | 'listingBedTypes'>

/** What tells rows apart, which they must have, and what else they may have. */
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

/** The lists that the body empties: the vendor does so before it looks at the rest. */
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

/** The lists that the body replaces; a row that is sent again keeps its number. */
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

const wrong = (name: string, fault: string) => new Fail(400, `Listing error: ${name}: ${fault}`, 'message')
