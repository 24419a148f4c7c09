import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing, addTarget } from '#test/records.ts'
import { atPms, changeAtPms } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })

const path = '/api/v1/channel-targets'
const read = async (id: string) => expectStatus(await owner.get(`${path}/${id}`), 200).channel_target
const pause = async (id: string) => expectStatus(await owner.post(`${path}/${id}/pause`), 201).channel_target
const resume = async (id: string) => expectStatus(await owner.delete(`${path}/${id}/pause`), 204)
const audit = async (id: string) =>
  expectStatus(await owner.get(`/api/v1/sync/audit?channel_target_id=${id}&limit=100`), 200).audit

type Listing = Awaited<ReturnType<typeof addListing>>
const overThere = ({ channel_target_id, external_id }: Listing) => ({
  targetId: channel_target_id,
  externalId: external_id,
})
const shown = async (listing: Listing) => (await atPms(world, overThere(listing)))?.['name']

/** A target with two listings that are pushed. */
async function addPushed() {
  const target = await addTarget(owner)
  const listings = [
    await addListing(owner, { channel_target_id: target.id }),
    await addListing(owner, { channel_target_id: target.id }),
  ]
  await world.settled()
  return { target, listings }
}

suite('pauses of targets: happy', () => {
  test('pushes the changes and checks the PMS when the target is resumed', async () => {
    const { target, listings } = await addPushed()
    assert.equal((await read(target.id)).status, 'active')
    assert.equal((await pause(target.id)).status, 'inactive')
    const first = listings[0]!
    expectStatus(await owner.patch(`/api/v1/units/${first.unit_id}`, { name: 'Changed' }), 200)
    await world.settled()
    assert.equal(await shown(first), first.unit.name)
    await resume(target.id)
    await world.settled()
    assert.equal(await shown(first), 'Changed')
    assert.equal((await read(target.id)).status, 'active')
  })

  test('reads every listing back on resume, also by PUT', async () => {
    const byPut = async (id: string, target: object) =>
      expectStatus(await owner.put(`${path}/${id}`, { ...target, status: 'active' }), 200)
    for (const back of [resume, byPut]) {
      const { target, listings } = await addPushed()
      await pause(target.id)
      for (const listing of listings) await changeAtPms(world, overThere(listing), { name: 'Meddled with' })
      await back(target.id, target)
      await world.settled()
      for (const listing of listings) assert.equal(await shown(listing), listing.unit.name)
      const repaired = (await audit(target.id)).filter(
        ({ action, trigger }: Record<string, string>) =>
          action === 'sync.repaired' && trigger === 'reconcile',
      )
      assert.equal(repaired.length, 2)
    }
  })

  test('pushes everything when PUT resumes with another configuration', async () => {
    const { target, listings } = await addPushed()
    await pause(target.id)
    const config = { ...target.config, debounce_ms: 500 }
    expectStatus(await owner.put(`${path}/${target.id}`, { ...target, config, status: 'active' }), 200)
    await world.settled()
    const [last] = expectStatus(
      await owner.get(`/api/v1/sync/audit?channel_listing_id=${listings[0]!.id}`),
      200,
    ).audit
    assert.deepEqual([last.mode, last.trigger], ['full', 'change'])
  })

  test('ignores repeated pauses and resumes, and records each once', async () => {
    const { target } = await addPushed()
    await resume(target.id)
    const once = await pause(target.id)
    assert.deepEqual(await pause(target.id), once)
    await resume(target.id)
    await resume(target.id)
    const actions = (await audit(target.id))
      .map(({ action }: { action: string }) => action)
      .filter((action: string) => action.startsWith('target.'))
    assert.deepEqual(actions, ['target.resumed', 'target.paused'])
  })
})

suite('pauses of targets: security', () => {
  test('returns 404 to another organization, and 403 to staff', async () => {
    const { target } = await addPushed()
    const stranger = await world.away.as('owner')
    const staff = await world.home.as('staff')
    const at = `${path}/${target.id}/pause`
    expectProblem(await stranger.post(at), 404, 'not-found')
    expectProblem(await staff.post(at), 403, 'forbidden')
    expectProblem(await stranger.delete(at), 404, 'not-found')
    assert.equal((await read(target.id)).status, 'active')
  })
})
