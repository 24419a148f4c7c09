import { channexCaller } from '../sandbox/test/channex-caller.ts'
import {
  apiKey,
  goLive,
  openProperty,
  type ChannexWorld,
  type Property,
} from '../server/test/channex-live.ts'
import { startNodeProcess } from '../server/test/node-process.ts'
import type { BenchWorld } from './bench-world.ts'

/** Starts the Channex sandbox, with the documented limits, in a process of its own. */
export async function openChannex(bench: BenchWorld): Promise<ChannexWorld & AsyncDisposable> {
  const sandbox = await startNodeProcess({ file: 'bench/channex-process.ts', env: {} })
  const url = sandbox.facts.url!
  const { api, control } = channexCaller(() => url)
  await control('POST', 'seed', { keys: [{ key: apiKey }] })
  return {
    limited: true,
    world: bench.world,
    owner: bench.operator,
    url,
    control,
    api: (method, path, body) => api(method, path, body, apiKey),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  }
}

/** Creates a property with room types of one plan each, linked to an inactive target. */
export async function openChannexProperty(
  channex: ChannexWorld,
  options: { rooms: number },
): Promise<Property & { goLive(): Promise<void> }> {
  const property = await openProperty(channex, { ...options, live: false })
  return { ...property, goLive: () => goLive(channex, property) }
}
