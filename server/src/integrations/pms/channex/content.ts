import { arePhotosEqual, isOwnPhoto } from '../photos.ts'
import type { UnitUpdate } from '../pms.ts'
import type { Photo, UnitContent } from '../pms-content.ts'
import { ownerId, type Attributes, type Resource } from './channex-api.ts'

/** The property at Channex has the texts of the space, the room type the figures of the unit. */
export const propertyFields = ['space', 'currency'] as const
export const roomFields = ['name', 'max_guests', 'quantity', 'photos'] as const

/** The changed fields that Channex can hold. */
export function fieldsToSend({ changedFields }: UnitUpdate): (keyof UnitContent)[] {
  const fields = [...propertyFields, ...roomFields]
  return changedFields === 'all' ? fields : fields.filter((field) => changedFields.includes(field))
}

export function propertyAttributes({ space, currency }: UnitContent) {
  return {
    title: space.name,
    address: space.address,
    city: space.city,
    state: space.state,
    zip_code: space.zip,
    country: space.country,
    timezone: space.timezone,
    currency: currency.toUpperCase(),
  }
}

/** The desired attributes that the resource does not have. */
export function diffAttributes(desired: Attributes, { attributes }: Resource): Attributes {
  return Object.fromEntries(
    Object.entries(desired).filter(([name, value]) => (attributes[name] ?? null) !== (value ?? null)),
  )
}

export function descriptionOf({ attributes }: Resource): string | null {
  const { description } = (attributes['content'] ?? {}) as { description?: unknown }
  return typeof description === 'string' && description !== '' ? description : null
}

/** All photos of the resource when ours differ from the desired ones; undefined when nothing has to be sent. */
export function photosToSend(
  desired: readonly Photo[] | undefined,
  resource: Resource,
): Attributes[] | undefined {
  if (!desired || arePhotosEqual(desired, ownPhotos(resource) ?? [])) return undefined
  const others = photosOf(resource)?.filter((photo) => !isOwnPhoto(photo)) ?? []
  return [...desired.map((photo) => ({ ...photo, kind: 'photo' })), ...others]
}

/** The photos that came from us; undefined when the resource has no list of photos. */
function ownPhotos(resource: Resource): Photo[] | undefined {
  const positionOf = ({ position }: Attributes) => (typeof position === 'number' ? position : 0)
  return photosOf(resource)
    ?.filter(isOwnPhoto)
    .sort((a, b) => positionOf(a) - positionOf(b))
    .map(({ url, description }, position) => ({
      url: url as string,
      position,
      description: typeof description === 'string' && description !== '' ? description : null,
    }))
}

export function photosOf({ attributes }: Resource): Attributes[] | undefined {
  const { photos } = (attributes['content'] ?? {}) as { photos?: unknown }
  return Array.isArray(photos) ? (photos as Attributes[]) : undefined
}

/** The numbers of children and infants keep their value: they do not exist here. */
export function roomAttributes(content: UnitContent, current: Attributes = {}) {
  const { occ_children = 0, occ_infants = 0, default_occupancy: occupancy } = current
  const maxGuests = content.max_guests
  return {
    title: content.name,
    count_of_rooms: content.quantity,
    occ_adults: maxGuests,
    occ_children,
    occ_infants,
    default_occupancy: typeof occupancy === 'number' && occupancy < maxGuests ? occupancy : maxGuests,
  }
}

export function parseContent(room: Resource, property: Resource): Partial<UnitContent> {
  const { title, count_of_rooms: quantity, occ_adults: maxGuests } = room.attributes
  const { currency } = property.attributes
  return {
    ...(typeof title === 'string' && { name: title }),
    ...(typeof maxGuests === 'number' && { max_guests: maxGuests }),
    ...(typeof quantity === 'number' && { quantity }),
    ...(typeof currency === 'string' && { currency: currency.toLowerCase() }),
    ...photoField(room),
    space: parseSpace(property),
  }
}

const photoField = (resource: Resource) => {
  const photos = ownPhotos(resource)
  return photos && { photos }
}

/** Without amenities: Channex has its own list of them. */
function parseSpace(property: Resource): UnitContent['space'] {
  const text = (name: string) => {
    const value = property.attributes[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
  const space = {
    name: text('title'),
    address: text('address'),
    city: text('city'),
    state: text('state'),
    zip: text('zip_code'),
    country: text('country'),
    timezone: text('timezone'),
    description: descriptionOf(property),
    ...photoField(property),
  }
  return space as unknown as UnitContent['space']
}

export const belongsToRoom = (resource: Resource, room: Resource) =>
  ownerId(resource, 'room_type') === room.id

/** Trimmed, because Channex may trim what was sent. */
export const titleOf = ({ attributes: { title } }: Resource) =>
  typeof title === 'string' ? title.trim() : ''
