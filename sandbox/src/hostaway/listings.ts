import { Fail, page, success, wholeNumber, type Reply } from './envelope.ts'
import { readObject, textOf, withoutNulls, type Values } from './fields.ts'
import { readListing, shownListing, type Listing } from './listing.ts'
import { momentAt } from './nights.ts'
import { emptiedRows, replacedRows } from './rows.ts'
import type { Asked, Vendor } from './vendor.ts'

const noRows = { listingImages: [], listingAmenities: [], listingBedTypes: [] }

export function listListings({ records, now }: Vendor, { accountId, query }: Asked): Reply {
  const found = records
    .list('listing')
    .filter((listing) => listing.accountId === accountId && fits(listing, query))
    .sort(order(query.get('sortOrder')))
  const withResources = query.get('includeResources') !== '0'
  return page(
    found.map((listing) => shownListing(listing, now(), withResources)),
    query,
  )
}

export function showListing(vendor: Vendor, { accountId, ids, query }: Asked): Reply {
  const listing = findListing(vendor, accountId, ids[0])
  return success(shownListing(listing, vendor.now(), query.get('includeResources') !== '0'))
}

export function addListing(vendor: Vendor, asked: Asked): Reply {
  return success(shownListing(newListing(vendor, asked.accountId, asked.body()), vendor.now(), true))
}

export function newListing(
  { records, now }: Vendor,
  accountId: number,
  body: unknown,
  extra: Partial<Pick<Listing, 'id' | 'units' | 'specialStatus'>> = {},
): Listing {
  const set = settled(readListing(body))
  if (!set['name']) throw new Fail(400, 'Listing error: name: the field is required', 'message')
  const at = momentAt(now())
  const listing = {
    id: extra.id ?? records.nextId(),
    accountId,
    units: extra.units ?? null,
    specialStatus: extra.specialStatus ?? null,
    insertedOn: at,
    updatedOn: at,
    fields: set,
    ...replacedRows(readObject(body), noRows, records.nextId),
  }
  records.save(['listing', listing.id, listing])
  return listing
}

/** Null, and what is left out, stays. Empty lists take effect even when the rest is then refused. */
export function changeListing(vendor: Vendor, { accountId, ids, body }: Asked): Reply {
  const { records, now } = vendor
  const before = findWritable(vendor, accountId, ids[0])
  const given = readObject(body())
  const emptied = { ...before, ...emptiedRows(given, before) }
  records.save(['listing', before.id, emptied])
  const after = {
    ...emptied,
    fields: { ...before.fields, ...settled(readListing(given)) },
    ...replacedRows(given, emptied, records.nextId),
    updatedOn: momentAt(now()),
  }
  records.save(['listing', before.id, after])
  return success(shownListing(after, now(), true))
}

export function findListing({ records }: Vendor, accountId: number, id: number | undefined): Listing {
  const listing = records.find('listing', id ?? '')
  if (listing?.accountId !== accountId) throw new Fail(404, 'Listing not found.')
  return listing
}

export function findWritable(vendor: Vendor, accountId: number, id: number | undefined): Listing {
  const listing = findListing(vendor, accountId, id)
  if (listing.specialStatus === 'archived') throw new Fail(400, 'The listing is archived.')
  return listing
}

/** The name has two spellings. */
function settled(values: Values): Values {
  const kept = withoutNulls(values)
  const name = kept['name'] ?? kept['externalListingName']
  return name === undefined ? kept : { ...kept, name, externalListingName: name }
}

function fits({ fields, specialStatus }: Listing, query: URLSearchParams) {
  const wants = (name: string) => query.get(name)?.toLowerCase() || undefined
  const has = (name: string) => textOf(fields[name]).toLowerCase()
  const [city, match, country, contact] = ['city', 'match', 'country', 'contactName'].map(wants)
  const propertyType = wholeNumber(query, 'propertyTypeId')
  const statuses = query.getAll('specialStatus[]')
  return (
    (city === undefined || has('city') === city) &&
    (match === undefined || has('name').includes(match)) &&
    (country === undefined || has('countryCode') === country) &&
    (contact === undefined || has('contactName') === contact) &&
    (propertyType === undefined || fields['propertyTypeId'] === propertyType) &&
    (statuses.length === 0 || statuses.includes(specialStatus ?? 'active'))
  )
}

function order(asked: string | null) {
  const [, name = 'order', reversed] = /^(name|contactName|order)(Reversed)?$/.exec(asked || 'order') ?? []
  const sign = reversed ? -1 : 1
  return (one: Listing, other: Listing) =>
    sign * (name === 'order' ? 0 : textOf(one.fields[name]).localeCompare(textOf(other.fields[name]))) ||
    sign * (one.id - other.id)
}
