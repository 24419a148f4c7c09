import { suite, test } from 'node:test'
import type { TestCaller } from './caller.ts'
import { channexWorld, openProperty } from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { hostawayWorld, openAccount } from './hostaway-live.ts'
import { addLinkedUnit, statusOf, until } from './linked-units.ts'

/** White space and line ends that a PMS drops, and texts that are empty without it. */
const texts = { description: ' By the sea.\r\nNo lift.\n', address: 'Rua Nova 7 ', city: '', state: ' ' }

/** The PMS shows other characters than were entered, which is no difference. */
async function assertVerified(owner: TestCaller, spaceId: string, listing: { listingId: string }) {
  expectStatus(await owner.patch(`/api/v1/spaces/${spaceId}`, texts), 200)
  await until(
    () => statusOf(owner, listing),
    ({ in_sync }) => in_sync,
    8,
  )
}

suite('texts of a space are verified', () => {
  const channex = channexWorld()
  const hostaway = hostawayWorld()

  test('at Channex', async () => {
    const { spaceId, rooms } = await openProperty(channex)
    await assertVerified(channex.owner, spaceId, rooms[0]!)
  })

  test('at Hostaway', async () => {
    const { rooms } = await openAccount(hostaway, { limited: false })
    const { unit } = expectStatus(await hostaway.owner.get(`/api/v1/units/${rooms[0]!.unitId}`), 200)
    await assertVerified(hostaway.owner, unit.space_id, rooms[0]!)
  })

  test('at another PMS', async () => {
    const linked = await addLinkedUnit(hostaway.owner)
    await assertVerified(hostaway.owner, linked.spaceId, linked)
  })
})
