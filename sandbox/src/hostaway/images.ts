import { Fail, success, type Reply } from './envelope.ts'
import { shownImages } from './listing.ts'
import { findListing, findWritable } from './listings.ts'
import { momentAt } from './nights.ts'
import type { Asked, Vendor } from './vendor.ts'
import { isWebAddress } from './webhook.ts'

/** The vendor speaks of minutes; shorter, so that nobody who looks after a while has to turn the clock. */
export const imageDelayMs = 2000

export function listImages(vendor: Vendor, { accountId, ids }: Asked): Reply {
  return success(shownImages(findListing(vendor, accountId, ids[0]), vendor.now()))
}

/** Takes the addresses at once and fetches the images later: the answer does not show them. */
export function addImages(vendor: Vendor, { accountId, ids, body }: Asked): Reply {
  const { records, now } = vendor
  const listing = findWritable(vendor, accountId, ids[0])
  const given = body() as { images?: unknown } | null
  const images = given?.images
  if (!Array.isArray(images) || images.length === 0) {
    throw new Fail(400, 'The "images" parameter is required and must be a non-empty array.')
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

function readImage(image: unknown, index: number) {
  if (typeof image !== 'object' || image === null || Array.isArray(image)) {
    throw new Fail(400, `Image at index ${index} must be an object.`)
  }
  const { url, caption, sortOrder } = image as Record<string, unknown>
  if (!url) throw new Fail(400, `Image at index ${index} is missing the required "url" field.`)
  if (!isWebAddress(url)) {
    const shown = typeof url === 'string' ? url : JSON.stringify(url)
    throw new Fail(400, `Image at index ${index} has an invalid URL: ${shown}`)
  }
  return {
    url: url as string,
    caption: typeof caption === 'string' ? caption : null,
    sortOrder: Number.isSafeInteger(sortOrder) ? Number(sortOrder) : 0,
  }
}
