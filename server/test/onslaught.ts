import assert from 'node:assert/strict'
import type { TestCaller } from './caller.ts'
import { bodyFor, filled, operations, type Operation } from './operations.ts'
import { addListing, addPlan, addStop } from './records.ts'
import { openWorld } from './world.ts'

/** A world with one record of everything, to be thrown things at. */
export async function openOnslaught() {
  const world = await openWorld()
  const owner = await world.home.as('owner')
  const ids = await idsOf(owner, world.home.accountId)
  const foreignIds = await idsOf(await world.away.as('owner'), world.away.accountId)
  const pathOf = ({ path }: Pick<Operation, 'path'>) => {
    const collection = path.includes('{targetId}') ? 'channel-targets' : path.split('/')[3]!
    return filled(path, collection === 'organizations' ? world.home.id : (ids[idNames[collection]!] ?? ''))
  }
  return {
    world,
    owner,
    ids,
    foreignIds,
    /** The address of the operation, on the record that is there. */
    pathOf,
    /** A body that the operation would take. */
    fitting: ({ body }: Operation) => bodyFor(body!, (name) => ids[name]!),
    send: (operation: Operation, body: string | Uint8Array<ArrayBuffer>, headers: object = {}) =>
      owner.send(operation.method, pathOf(operation), {
        body,
        headers: { 'content-type': 'application/json', ...headers },
      }),
    /** What every list answers; each must answer 200. */
    everyList: async () => {
      const found: Record<string, string> = {}
      for (const { path } of lists) {
        const reply = await owner.get(path)
        assert.equal(reply.status, 200, `${path}: ${reply.text}`)
        found[path] = reply.text
      }
      return found
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

export type Onslaught = Awaited<ReturnType<typeof openOnslaught>>

const lists = operations.filter(
  ({ method, path, isStream, queryParameters }) =>
    method === 'GET' &&
    path.startsWith('/api/v1/') &&
    !path.includes('{') &&
    !isStream &&
    !queryParameters.some(({ required }) => required),
)

const idNames: Record<string, string> = {
  spaces: 'space_id',
  units: 'unit_id',
  'rate-plans': 'rate_plan_id',
  'sales-stops': 'sales_stop_id',
  'channel-targets': 'channel_target_id',
  'channel-listings': 'channel_listing_id',
  accounts: 'account_id',
  sync: 'channel_listing_id',
}

async function idsOf(caller: TestCaller, accountId: string): Promise<Record<string, string>> {
  const { id, unit_id, channel_target_id, unit } = await addListing(caller)
  const [plan, stop] = [await addPlan(caller, { unit_id }), await addStop(caller, { unit_id })]
  return {
    space_id: unit.space_id,
    property_id: unit.space_id,
    unit_id,
    rate_plan_id: plan.id,
    sales_stop_id: stop.id,
    channel_target_id,
    channel_listing_id: id,
    account_id: accountId,
  }
}
