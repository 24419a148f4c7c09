import { randomUUID } from 'node:crypto'
import { cast, list, oneOf, positive, text, whole, type Fields, type Given } from './checks.ts'
import { content, withPhotos, type Content } from './content.ts'

export type RoomType = {
  id: string
  property_id: string
  title: string
  count_of_rooms: number
  occ_adults: number
  occ_children: number
  occ_infants: number
  default_occupancy: number
  room_kind: string
  capacity: number | null
  content: Content
}

const fields: Fields = {
  property_id: { check: text(36), required: true },
  title: { check: text(255), required: true },
  count_of_rooms: { check: positive, required: true },
  occ_adults: { check: positive, required: true },
  occ_children: { check: whole(0), required: true },
  occ_infants: { check: whole(0), required: true },
  default_occupancy: { check: positive, required: true },
  room_kind: { check: oneOf('room', 'dorm'), fallback: 'room' },
  capacity: { check: positive },
  facilities: { check: list, fallback: [] },
  content: { check: content, fallback: {} },
}

/** `mayUse` returns whether the caller may use this property. */
export function readRoomType(
  given: Given,
  before: RoomType | undefined,
  mayUse: (propertyId: string) => boolean,
  id: string = before?.id ?? randomUUID(),
): RoomType {
  const attributes = cast(keepProperty(given, before), fields, before, (read) => ({
    ...(mayUse(String(read['property_id'])) ? {} : { property_id: ['is invalid'] }),
    ...(Number(read['default_occupancy']) <= Number(read['occ_adults'])
      ? {}
      : { default_occupancy: [`must be less than or equal to ${String(read['occ_adults'])}`] }),
  }))
  const owner = { property_id: String(attributes['property_id']), room_type_id: id }
  return {
    ...attributes,
    id,
    content: withPhotos(attributes['content'] as Given, before?.content, owner),
  } as RoomType
}

/** A room does not move to another property. */
function keepProperty(given: Given, before: RoomType | undefined): Given {
  return before ? { ...given, property_id: before.property_id } : given
}

export function showRoomType({ id, property_id, ...attributes }: RoomType) {
  return {
    type: 'room_type',
    id,
    attributes: { id, ...attributes },
    relationships: {
      facilities: { data: [] },
      property: { data: { type: 'property', id: property_id } },
    },
  }
}
