import type { TestCaller } from '../server/test/caller.ts'

/** An operator who is not counted against rate limits, and whose calls must succeed. */
export interface Client {
  post(path: string, body: object): Promise<Answer>
  patch(path: string, body: object): Promise<Answer>
  get(path: string): Promise<Answer>
}
// The shape of an answer is the business of who asked.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Answer = any

/** The same caller, told apart from those whose requests are limited. */
export function uncounted(caller: TestCaller, internalToken: string): TestCaller {
  const marked = (headers: Record<string, string> = {}) => ({ ...headers, 'x-internal-token': internalToken })
  return {
    token: caller.token,
    get: (path, headers) => caller.get(path, marked(headers)),
    post: (path, body, headers) => caller.post(path, body, marked(headers)),
    put: (path, body, headers) => caller.put(path, body, marked(headers)),
    patch: (path, body, headers) => caller.patch(path, body, marked(headers)),
    delete: (path, headers) => caller.delete(path, marked(headers)),
    send: (method, path, init) => caller.send(method, path, { ...init, headers: marked(init.headers) }),
  }
}

export function clientOf(caller: TestCaller): Client {
  const good = async (reply: ReturnType<TestCaller['get']>) => {
    const { status, text, body } = await reply
    if (status >= 300) throw new Error(`${status}: ${text}`)
    return body
  }
  return {
    post: (path, body) => good(caller.post(path, body)),
    patch: (path, body) => good(caller.patch(path, body)),
    get: (path) => good(caller.get(path)),
  }
}

export interface Stocked {
  unitId: string
  listingId: string
  targetId: string
  externalId: string
}

interface Stock {
  targets: number
  listingsEach: number
  config?: object
  status?: 'inactive'
}

/** So many targets with so many listings each, as an operator would make them. */
export async function stock(
  client: Client,
  { targets, listingsEach, config = {}, status }: Stock,
): Promise<Stocked[]> {
  const stocked: Stocked[] = []
  const work = Array.from({ length: targets }, (_, target) => async () => {
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
      stocked.push({
        ...{ unitId: unit.id, listingId: channel_listing.id, targetId: channel_target.id, externalId },
      })
    }
  })
  await abreast(8, work)
  return stocked
}

/** Runs the work, so many pieces at any time. */
export async function abreast(lanes: number, work: readonly (() => Promise<unknown>)[]): Promise<void> {
  const rest = work.values()
  const lane = async () => {
    for (const piece of rest) await piece()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
