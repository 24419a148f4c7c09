import pMap from 'p-map'
import type { TestCaller } from '../server/test/caller.ts'

/** A caller without rate limits. A call that fails throws. */
export interface Client {
  post(path: string, body: object): Promise<Answer>
  patch(path: string, body: object): Promise<Answer>
  get(path: string): Promise<Answer>
}
// Callers know the shape of their responses.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Answer = any

/** The same caller, with the internal token, so that its requests are not limited. */
export function withInternalToken(caller: TestCaller, internalToken: string): TestCaller {
  const withToken = (headers: Record<string, string> = {}) => ({
    ...headers,
    'x-internal-token': internalToken,
  })
  return {
    token: caller.token,
    get: (path, headers) => caller.get(path, withToken(headers)),
    post: (path, body, headers) => caller.post(path, body, withToken(headers)),
    put: (path, body, headers) => caller.put(path, body, withToken(headers)),
    patch: (path, body, headers) => caller.patch(path, body, withToken(headers)),
    delete: (path, headers) => caller.delete(path, withToken(headers)),
    send: (method, path, init) => caller.send(method, path, { ...init, headers: withToken(init.headers) }),
  }
}

export function openClient(caller: TestCaller): Client {
  const expectSuccess = async (reply: ReturnType<TestCaller['get']>) => {
    const { status, text, body } = await reply
    if (status >= 300) throw new Error(`${status}: ${text}`)
    return body
  }
  return {
    post: (path, body) => expectSuccess(caller.post(path, body)),
    patch: (path, body) => expectSuccess(caller.patch(path, body)),
    get: (path) => expectSuccess(caller.get(path)),
  }
}

export interface BenchListing {
  unitId: string
  listingId: string
  targetId: string
  externalId: string
}

interface ListingOptions {
  targets: number
  listingsEach: number
  config?: object
  status?: 'inactive'
}

/** Adds targets with listings through the API. */
export async function addListings(
  client: Client,
  { targets, listingsEach, config = {}, status }: ListingOptions,
): Promise<BenchListing[]> {
  const added: BenchListing[] = []
  const addTarget = async (target: number) => {
    const { space } = await client.post('/api/v1/spaces', { name: `Space ${target}` })
    const name = `Target ${target}`
    const { channel_target } = await client.post('/api/v1/channel-targets', {
      ...{ channel_type: 'pms', name, config, status },
    })
    for (let n = 0; n < listingsEach; n++) {
      const { unit } = await client.post('/api/v1/units', {
        ...{ space_id: space.id, name: `Unit ${target}.${n}`, base_price_cents: 10_000 },
      })
      const externalId = `RT-${target}-${n}`
      const { channel_listing } = await client.post('/api/v1/channel-listings', {
        ...{ unit_id: unit.id, channel_target_id: channel_target.id, external_id: externalId },
      })
      added.push({
        ...{ unitId: unit.id, listingId: channel_listing.id, targetId: channel_target.id, externalId },
      })
    }
  }
  await pMap(Array(targets).keys(), addTarget, { concurrency: 8 })
  return added
}
