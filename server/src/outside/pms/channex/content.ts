import { areShown, isOwnPhoto } from '../own-photos.ts'
import type { Parcel, Photo, UnitContent } from '../pms.ts'
import { belongsTo, type Attributes, type Resource } from './channex-api.ts'

/** Where Channex keeps what of a unit: the property has the space's words, the room type the unit's numbers. */

export const propertyMembers = ['space', 'currency'] as const
export const roomMembers = ['name', 'max_guests', 'quantity', 'photos'] as const

/** The members that differ and that Channex can hold. */
export function heldMembers({ differing }: Parcel): (keyof UnitContent)[] {
  const held = [...propertyMembers, ...roomMembers]
  return differing === 'whole' ? held : held.filter((member) => differing.includes(member))
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

/** What of these attributes is not so over there. */
export function changesOf(wanted: Attributes, { attributes }: Resource): Attributes {
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => (attributes[name] ?? null) !== (value ?? null)),
  )
}

export function descriptionOf({ attributes }: Resource): string | null {
  const { description } = (attributes['content'] ?? {}) as { description?: unknown }
  return typeof description === 'string' && description !== '' ? description : null
}

/** All photos that must be there, when ours are not as wanted; undefined when there is nothing to say. */
export function photosToSend(
  wanted: readonly Photo[] | undefined,
  record: Resource,
): Attributes[] | undefined {
  if (!wanted || areShown(wanted, photosShown(record) ?? [])) return undefined
  const others = photosIn(record)?.filter((photo) => !isOwnPhoto(photo)) ?? []
  return [...wanted.map((photo) => ({ ...photo, kind: 'photo' })), ...others]
}

/** Those of ours; undefined when the record says nothing of photos. */
function photosShown(record: Resource): Photo[] | undefined {
  const place = ({ position }: Attributes) => (typeof position === 'number' ? position : 0)
  return photosIn(record)
    ?.filter(isOwnPhoto)
    .sort((one, other) => place(one) - place(other))
    .map(({ url, description }, position) => ({
      url: url as string,
      position,
      description: typeof description === 'string' && description !== '' ? description : null,
    }))
}

function photosIn({ attributes }: Resource): Attributes[] | undefined {
  const { photos } = (attributes['content'] ?? {}) as { photos?: unknown }
  return Array.isArray(photos) ? (photos as Attributes[]) : undefined
}

/** Children and infants have no place with us: they stay as they are. */
export function roomAttributes(content: UnitContent, before: Attributes = {}) {
  const { occ_children = 0, occ_infants = 0, default_occupancy: usual } = before
  const most = content.max_guests
  return {
    title: content.name,
    count_of_rooms: content.quantity,
    occ_adults: most,
    occ_children,
    occ_infants,
    default_occupancy: typeof usual === 'number' && usual < most ? usual : most,
  }
}

/** A room type in our words. */
export function contentShown(room: Resource, property: Resource): Partial<UnitContent> {
  const { title, count_of_rooms: quantity, occ_adults: guests } = room.attributes
  const { currency } = property.attributes
  return {
    ...(typeof title === 'string' && { name: title }),
    ...(typeof guests === 'number' && { max_guests: guests }),
    ...(typeof quantity === 'number' && { quantity }),
    ...(typeof currency === 'string' && { currency: currency.toLowerCase() }),
    ...withPhotos(room),
    space: spaceShown(property),
  }
}

const withPhotos = (record: Resource) => {
  const photos = photosShown(record)
  return photos && { photos }
}

/** Amenities are left out, as Channex has its own list of them. */
function spaceShown(property: Resource): UnitContent['space'] {
  const text = (name: string) => {
    const value = property.attributes[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
  const shown = {
    name: text('title'),
    address: text('address'),
    city: text('city'),
    state: text('state'),
    zip: text('zip_code'),
    country: text('country'),
    timezone: text('timezone'),
    description: descriptionOf(property),
    ...withPhotos(property),
  }
  return shown as unknown as UnitContent['space']
}

export const isIn = (record: Resource, room: Resource) => belongsTo(record, 'room_type') === room.id

/** Whoever writes a title may leave spaces around it, and Channex may take them away. */
export const titleOf = ({ attributes: { title } }: Resource) =>
  typeof title === 'string' ? title.trim() : ''
