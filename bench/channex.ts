import { fork } from 'node:child_process'
import { channexCaller } from '../sandbox/test/channex-caller.ts'
import {
  apiKey,
  goLive,
  openProperty,
  type ChannexWorld,
  type Property,
} from '../server/test/channex-live.ts'
import { quiet, ready, stop, type House } from './house.ts'

/** A Channex in a process of its own, with its documented limits. */
export async function openChannex(house: House): Promise<ChannexWorld & AsyncDisposable> {
  const { child, facts } = await ready(fork(new URL('channex-process.ts', import.meta.url), [], quiet({})))
  const url = String(facts['url'])
  const { api, door } = channexCaller(() => url)
  await door('POST', 'seed', { keys: [{ key: apiKey }] })
  return {
    world: house.world,
    owner: house.operator,
    url,
    door,
    api: (method, path, body) => api(method, path, body, apiKey),
    [Symbol.asyncDispose]: () => stop(child),
  }
}

/** A property with its room types, one plan each, and the same here, still switched off. */
export async function openChannexProperty(
  channex: ChannexWorld,
  options: { rooms: number },
): Promise<Property & { goLive(): Promise<void> }> {
  const property = await openProperty(channex, { ...options, live: false })
  return { ...property, goLive: () => goLive(channex, property) }
}
