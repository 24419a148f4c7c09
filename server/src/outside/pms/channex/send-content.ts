import { PmsFailure } from '../pms-failure.ts'
import type { Call } from '../pms-call.ts'
import type { Parcel, UnitContent } from '../pms.ts'
import type { ChannexApi, Resource } from './channex-api.ts'
import {
  changesOf,
  descriptionOf,
  heldMembers,
  photosToSend,
  propertyAttributes,
  roomAttributes,
} from './content.ts'
import { propertyMembers, roomMembers } from './content.ts'
import type { Deliveries } from './deliveries.ts'
import { traceOf } from './send-messages.ts'

const callsAtATime = 4

/** Brings the property and its room types to what is wanted: by id, and only where they are not so already. */
export async function sendContent(
  api: ChannexApi,
  parcels: readonly Parcel[],
  call: Call,
  deliveries: Deliveries,
): Promise<void> {
  const ofProperty = parcels.filter((parcel) => wants(parcel, propertyMembers))
  const ofRooms = parcels.filter((parcel) => wants(parcel, roomMembers))
  const failed = new Set<Parcel>()
  const failing = (some: readonly Parcel[]) => (error: unknown) => {
    if (!(error instanceof PmsFailure)) throw error
    deliveries.failed(some, error)
    for (const parcel of some) failed.add(parcel)
    return error
  }
  const [first] = ofProperty
  // All units of a property stand in the same space, so one of them speaks for all.
  const failure = first && (await sendProperty(first.content).then(() => null, failing(ofProperty)))
  if (failure && isPointless(failure)) failing(ofRooms)(failure)
  else if (ofRooms.length > 0) await api.list('room_types', call).then(sendRooms, failing(ofRooms))
  for (const parcel of [...ofProperty, ...ofRooms]) if (!failed.has(parcel)) deliveries.tookContent(parcel)

  async function sendProperty(content: UnitContent) {
    const traced = { ...call, traceparent: traceOf(ofProperty, call) }
    const property = await api.find('properties', api.property, traced)
    const { description } = content.space
    const photos = photosToSend(content.space.photos, property)
    const words = {
      ...(descriptionOf(property) !== (description || null) && { description }),
      ...(photos && { photos }),
    }
    const changes = {
      ...changesOf(propertyAttributes(content), property),
      ...(Object.keys(words).length > 0 && { content: words }),
    }
    if (Object.keys(changes).length === 0) return
    const { title, currency } = propertyAttributes(content)
    const answer = await api.change('properties', api.property, { title, currency, ...changes }, traced)
    deliveries.exchanged(ofProperty, answer.exchange)
  }

  async function sendRooms(rooms: readonly Resource[]) {
    const byId = new Map(rooms.map((room) => [room.id, room]))
    const waiting = [...ofRooms]
    const lane = async () => {
      for (let parcel = waiting.shift(); parcel; parcel = waiting.shift()) {
        const failure = await sendRoom(parcel, byId.get(parcel.externalId)).then(
          () => null,
          failing([parcel]),
        )
        if (failure && isPointless(failure)) failing(waiting.splice(0))(failure)
      }
    }
    await Promise.all(Array.from({ length: callsAtATime }, lane))
  }

  async function sendRoom(parcel: Parcel, room: Resource | undefined) {
    if (!room) throw unknownRoom()
    const wanted = roomAttributes(parcel.content, room.attributes)
    const photos = photosToSend(parcel.content.photos, room)
    if (Object.keys(changesOf(wanted, room)).length === 0 && !photos) return
    const traced = { ...call, traceparent: traceOf([parcel], call) }
    const changes = { ...wanted, ...(photos && { content: { photos } }) }
    const answer = await api.change('room_types', room.id, changes, traced)
    deliveries.exchanged([parcel], answer.exchange)
  }
}

const wants = (parcel: Parcel, members: readonly (keyof UnitContent)[]) =>
  heldMembers(parcel).some((member) => members.includes(member))

/** What is wrong with one room type is not wrong with the others; all else would befall them too. */
export const isPointless = ({ code }: PmsFailure) =>
  code !== 'validation_rejected' && code !== 'mapping_not_found' && code !== 'conflict'

const unknownRoom = () =>
  new PmsFailure('mapping_not_found', 'The property has no such room type at Channex.', {
    hint: 'Check the external_id of the listing and the property_ref of the channel target.',
  })
