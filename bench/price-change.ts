// How long until the PMS has a new price, compared with a direct call, and how many pushes does a burst cause?
import { setTimeout as sleep } from 'node:timers/promises'
import {
  atPms,
  callsFor,
  addLinkedUnit,
  setPrice,
  statusOf,
  until,
  type LinkedUnit,
} from '../server/test/linked-units.ts'
import type { TestCaller } from '../server/test/caller.ts'
import { openWorld, type World } from '../server/test/world.ts'
import { openBenchPostgres } from './bench-postgres.ts'

await using parts = new AsyncDisposableStack()
await openBenchPostgres(parts, { isDurable: true })
await using world = await openWorld({ workers: true })
const owner = await world.home.as('owner')
await measureSingle(world, owner)
await measureFollowUps(world, owner)
await measureBurst(world, owner)

/** Single changes, alternating with the same PATCH sent directly to the PMS. */
async function measureSingle(world: World, owner: TestCaller) {
  const listings = await Promise.all(Array.from({ length: 40 }, () => addLinkedUnit(owner)))
  await Promise.all(
    listings.map((one) =>
      until(
        () => statusOf(owner, one),
        ({ status, pending_changes }) => status === 'completed' && pending_changes === 0,
      ),
    ),
  )
  await sleep(2_500)
  const product: number[] = []
  const direct: number[] = []
  for (const [at, listing] of listings.entries()) {
    product.push(await timed(() => changeAndWait(world, owner, listing, 20_000 + at)))
    direct.push(await timed(() => sendToPms(world, listing, 30_000 + at)))
  }
  console.log(`a single change          ${summary(product)}`)
  console.log(`a direct PATCH           ${summary(direct)}`)
  console.log(`ratio of the medians     ${(median(product) / median(direct)).toFixed(1)}\n`)
}

/** Changes of one listing, each as soon as the PMS has the previous one. */
async function measureFollowUps(world: World, owner: TestCaller) {
  const listing = await addLinkedUnit(owner)
  await until(
    () => statusOf(owner, listing),
    ({ status, pending_changes }) => status === 'completed' && pending_changes === 0,
  )
  const times: number[] = []
  for (let at = 1; at <= 10; at++)
    times.push(await timed(() => changeAndWait(world, owner, listing, 40_000 + at)))
  console.log(`consecutive changes      ${summary(times)}\n`)
}

async function measureBurst(world: World, owner: TestCaller) {
  const listing = await addLinkedUnit(owner)
  await until(
    () => statusOf(owner, listing),
    ({ status, pending_changes }) => status === 'completed' && pending_changes === 0,
  )
  await sleep(2_500)
  const before = (await callsFor(world, listing)).length
  let next = 0
  const client = async () => {
    while (next < 1_000) await setPrice(owner, listing, 50_000 + ++next)
  }
  const ms = await timed(() => Promise.all(Array.from({ length: 8 }, client)))
  await until(
    () => statusOf(owner, listing),
    ({ status, pending_changes }) => status === 'completed' && pending_changes === 0,
  )
  const { unit } = (await owner.get(`/api/v1/units/${listing.unitId}`)).body
  const exact = (await atPms(world, listing))?.['base_price_cents'] === unit.base_price_cents
  const pushes = (await callsFor(world, listing)).length - before
  console.log(
    `1,000 changes in ${Math.round(ms)} ms: ${pushes} pushes, the last value is ${exact ? 'correct' : 'WRONG'}`,
  )
}

async function changeAndWait(world: World, owner: TestCaller, listing: LinkedUnit, price: number) {
  await setPrice(owner, listing, price)
  while ((await atPms(world, listing))?.['base_price_cents'] !== price) await sleep(1)
}

async function sendToPms({ pms }: World, { targetId, externalId }: LinkedUnit, base_price_cents: number) {
  const response = await fetch(`${pms.url}/properties/${targetId}/units/${externalId}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ base_price_cents }),
  })
  await response.text()
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function median(values: number[]) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

function summary(values: number[]) {
  return `median ${median(values).toFixed(1)} ms, slowest ${Math.max(...values).toFixed(1)} ms of ${values.length}`
}
