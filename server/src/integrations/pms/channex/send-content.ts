import { PmsFailure } from '../pms-failure.ts'
import type { CallContext } from '../pms-call.ts'
import type { UnitUpdate } from '../pms.ts'
import type { UnitContent } from '../pms-content.ts'
import { forEachConcurrently } from '../concurrency.ts'
import type { ResultTracker } from '../result-tracker.ts'
import type { ChannexApi, Resource } from './channex-api.ts'
import {
  descriptionOf,
  diffAttributes,
  fieldsToSend,
  photosToSend,
  propertyAttributes,
  propertyFields,
  roomAttributes,
  roomFields,
} from './content.ts'
import { traceparentOf } from './send-messages.ts'

/**
 * Updates the property, its room types and the currency of linked rate plans by id, where what Channex shows differs. In
 * the currency that a plan had before, our amounts would be other prices.
 */
export async function sendContent(
  api: ChannexApi,
  updates: readonly UnitUpdate[],
  call: CallContext,
  results: ResultTracker,
): Promise<void> {
  const propertyUpdates = updates.filter((update) => hasField(update, propertyFields))
  const roomUpdates = updates.filter((update) => hasField(update, roomFields))
  const failed = new Set<UnitUpdate>()
  const fail = (updates: readonly UnitUpdate[], failure: PmsFailure) => {
    results.fail(updates, failure)
    for (const update of updates) failed.add(update)
  }

  // All units of a property belong to the same space, so the first update has the content for all.
  const [first] = propertyUpdates
  const failure = first && (await failureOf(updateProperty(first.content)))
  if (failure) fail(propertyUpdates, failure)
  if (failure && isFatal(failure)) fail(roomUpdates, failure)
  else if (roomUpdates.length > 0) await updateRooms()
  const planUpdates = updates.filter(
    (update) => !failed.has(update) && update.plans.length > 0 && hasField(update, ['currency']),
  )
  const planFailure = planUpdates.length > 0 ? await failureOf(updatePlans()) : null
  if (planFailure) fail(planUpdates, planFailure)
  for (const update of [...propertyUpdates, ...roomUpdates])
    if (!failed.has(update)) results.acceptContent(update)

  async function updateProperty(content: UnitContent) {
    const context = { ...call, traceparent: traceparentOf(propertyUpdates, call) }
    const property = await api.find('properties', api.property, context)
    const { description } = content.space
    const photos = photosToSend(content.space.photos, property)
    const texts = {
      ...(descriptionOf(property) !== (description || null) && { description }),
      ...(photos && { photos }),
    }
    const changes = {
      ...diffAttributes(propertyAttributes(content), property),
      ...(Object.keys(texts).length > 0 && { content: texts }),
    }
    if (Object.keys(changes).length === 0) return
    const { title, currency } = propertyAttributes(content)
    const attributes = { title, currency, ...changes }
    const response = await api.update('properties', api.property, attributes, context)
    results.addExchange(propertyUpdates, response.exchange)
  }

  async function updatePlans() {
    const desired = new Map(
      planUpdates.flatMap(({ plans, content }) =>
        plans.map(({ externalId }) => [externalId, content.currency.toUpperCase()]),
      ),
    )
    for (const { id, attributes } of await api.list('rate_plans', call)) {
      const currency = desired.get(id)
      if (currency === undefined || attributes['currency'] === currency) continue
      await api.update('rate_plans', id, { title: attributes['title'], currency }, call)
    }
  }

  async function updateRooms() {
    let rooms: ReadonlyMap<string, Resource> = new Map()
    const listFailure = await failureOf(
      api.list('room_types', call).then((list) => {
        rooms = new Map(list.map((room) => [room.id, room]))
      }),
    )
    if (listFailure) return fail(roomUpdates, listFailure)
    let fatal: PmsFailure | null = null
    await forEachConcurrently(roomUpdates, async (update) => {
      const failure = fatal ?? (await failureOf(updateRoom(update, rooms.get(update.externalId))))
      if (!failure) return
      fail([update], failure)
      if (isFatal(failure)) fatal ??= failure
    })
  }

  async function updateRoom(update: UnitUpdate, room: Resource | undefined) {
    if (!room) throw unknownRoom()
    const attributes = roomAttributes(update.content, room.attributes)
    const photos = photosToSend(update.content.photos, room)
    if (Object.keys(diffAttributes(attributes, room)).length === 0 && !photos) return
    const context = { ...call, traceparent: traceparentOf([update], call) }
    const changes = { ...attributes, ...(photos && { content: { photos } }) }
    const response = await api.update('room_types', room.id, changes, context)
    results.addExchange([update], response.exchange)
  }
}

const failureOf = (work: Promise<void>): Promise<PmsFailure | null> =>
  work.then(
    () => null,
    (error: unknown) => {
      if (error instanceof PmsFailure) return error
      throw error
    },
  )

const hasField = (update: UnitUpdate, fields: readonly (keyof UnitContent)[]) =>
  fieldsToSend(update).some((field) => fields.includes(field))

/** Whether the failure prevents all further calls, not only the call for one room type. */
const isFatal = ({ code }: PmsFailure) =>
  code !== 'validation_rejected' && code !== 'mapping_not_found' && code !== 'conflict'

const unknownRoom = () =>
  new PmsFailure('mapping_not_found', 'The property has no such room type at Channex.', {
    hint: 'Check the id of the listing and the property of the channel.',
  })
