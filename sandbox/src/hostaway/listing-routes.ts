import { ApiError, page, success, wholeNumber, type ApiCall } from './envelope.ts'
import { isWebAddress, readObject, textOf, withoutNulls, type Values } from './fields.ts'
import { momentAt } from './dates.ts'
import { emptiedRows, readListing, replacedRows, shownImages, shownListing, type Listing } from './listing.ts'
import type { Vendor } from './store.ts'

const noRows = { listingImages: [], listingAmenities: [], listingBedTypes: [] }

export function listListings({ records, now }: Vendor, { accountId, query }: ApiCall) {
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

export function showListing(vendor: Vendor, { accountId, id, query }: ApiCall) {
  const listing = findListing(vendor, accountId, id)
  return success(shownListing(listing, vendor.now(), query.get('includeResources') !== '0'))
}

export function addListing(vendor: Vendor, call: ApiCall) {
  return success(shownListing(newListing(vendor, call.accountId, call.body()), vendor.now(), true))
}

export function newListing(
  { records, now }: Vendor,
  accountId: number,
  body: unknown,
  extra: Partial<Pick<Listing, 'id' | 'units' | 'specialStatus'>> = {},
): Listing {
  const set = settled(readListing(body))
  if (!set['name']) throw new ApiError(400, 'Listing error: name: the field is required', 'message')
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

/** Null and missing members stay. Empty lists take effect even when the rest is refused. */
export function changeListing(vendor: Vendor, { accountId, id, body }: ApiCall) {
  const { records, now } = vendor
  const before = findWritable(vendor, accountId, id)
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

export function findListing({ records }: Vendor, accountId: number, id: number): Listing {
  const listing = records.find('listing', id ?? '')
  if (listing?.accountId !== accountId) throw new ApiError(404, 'Listing not found.')
  return listing
}

export function findWritable(vendor: Vendor, accountId: number, id: number): Listing {
  const listing = findListing(vendor, accountId, id)
  if (listing.specialStatus === 'archived') throw new ApiError(400, 'The listing is archived.')
  return listing
}

/** The vendor takes minutes. This is shorter, so that a test need not advance the clock. */
const imageDelayMs = 2000

export function listImages(vendor: Vendor, { accountId, id }: ApiCall) {
  return success(shownImages(findListing(vendor, accountId, id), vendor.now()))
}

/** Accepts the URLs at once and fetches the images later: the answer does not contain them. */
export function addImages(vendor: Vendor, { accountId, id, body }: ApiCall) {
  const { records, now } = vendor
  const listing = findWritable(vendor, accountId, id)
  const given = body() as { images?: unknown } | null
  const images = given?.images
  if (!Array.isArray(images) || images.length === 0) {
    throw new ApiError(400, 'The "images" parameter is required and must be a non-empty array.')
  }
  const read = images.map(readImage)
  const readyAtMs = now() + imageDelayMs
  const added = read.map((image) => ({ id: records.nextId(), ...image, readyAtMs }))
  const after = {
    ...listing,
    listingImages: [...listing.listingImages, ...added],
    updatedOn: momentAt(now()),
  }
  records.save(['listing', listing.id, after])
  const many = `${added.length} images will be processed asynchronously.`
  return success({
    message: `Image upload job scheduled for listing ${listing.id}. ${many}`,
    imagesCount: added.length,
  })
}

/** `name` and `externalListingName` are the same value. */
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

function order(call: string | null) {
  const [, name = 'order', reversed] = /^(name|contactName|order)(Reversed)?$/.exec(call || 'order') ?? []
  const sign = reversed ? -1 : 1
  return (one: Listing, other: Listing) =>
    sign * (name === 'order' ? 0 : textOf(one.fields[name]).localeCompare(textOf(other.fields[name]))) ||
    sign * (one.id - other.id)
}

function readImage(image: unknown, index: number) {
  if (typeof image !== 'object' || image === null || Array.isArray(image)) {
    throw new ApiError(400, `Image at index ${index} must be an object.`)
  }
  const { url, caption, sortOrder } = image as Record<string, unknown>
  if (!url) throw new ApiError(400, `Image at index ${index} is missing the required "url" field.`)
  if (!isWebAddress(url)) {
    const shown = typeof url === 'string' ? url : JSON.stringify(url)
    throw new ApiError(400, `Image at index ${index} has an invalid URL: ${shown}`)
  }
  return {
    url: url as string,
    caption: typeof caption === 'string' ? caption : null,
    sortOrder: Number.isSafeInteger(sortOrder) ? Number(sortOrder) : 0,
  }
}
