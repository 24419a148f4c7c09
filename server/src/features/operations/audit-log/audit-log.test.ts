import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { addMember } from '#features/tenancy/provisioning/members.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addBooking, addCalendarChange, addPlan, addTarget, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

interface Entry {
  id: string
  actor: { id: string; name: string }
  action: string
  kind: string
  name: string | null
  changes: { field: string; before: unknown; after: unknown }[]
}

const { world, owner, stranger } = shareWorld()
const path = '/api/v1/audit'
const entries = async (query: string, caller = owner): Promise<Entry[]> =>
  expectStatus(await caller.get(`${path}?${query}`), 200).audit_entries
const words = (found: Entry[]) => found.map(({ kind, action, name }) => [kind, action, name])

suite('audit log', () => {
  test('an edit is recorded with its actor and the values before and after', async () => {
    const unit = await addUnit(owner, { name: 'Loft' })
    const manager = await world.home.as('manager')
    expectStatus(await manager.patch(`/api/v1/units/${unit.id}`, { max_guests: 3, name: 'Big loft' }), 200)
    expectStatus(await manager.patch(`/api/v1/units/${unit.id}`, { max_guests: 3 }), 200)
    expectStatus(await owner.delete(`/api/v1/units/${unit.id}`), 204)
    const [deleted, updated, created, ...others] = await entries(`record_id=${unit.id}`)
    assert.deepEqual(others, [])
    assert.deepEqual(words([deleted!, updated!, created!]), [
      ['unit', 'deleted', 'Big loft'],
      ['unit', 'updated', 'Big loft'],
      ['unit', 'created', 'Loft'],
    ])
    assert.equal(updated!.actor.name, 'Home manager')
    assert.deepEqual(updated!.changes, [
      { field: 'max_guests', before: unit.max_guests, after: 3 },
      { field: 'name', before: 'Loft', after: 'Big loft' },
    ])
    assert.ok(deleted!.changes.some(({ field, before }) => field === 'name' && before === 'Big loft'))
  })

  test('a change that is refused leaves nothing', async () => {
    const unit = await addUnit(owner)
    expectProblem(
      await owner.patch(`/api/v1/units/${unit.id}`, { space_id: unit.id }),
      422,
      'reference-not-found',
    )
    assert.equal((await entries(`record_id=${unit.id}`)).length, 1)
  })

  test('a change by a command has no person', async () => {
    const { id: orgId } = world.home
    await addMember(world.config, { orgId, email: 'eva@home.example', role: 'viewer' })
    await addMember(world.config, { orgId, email: 'eva@home.example', role: 'staff' })
    const [promoted] = await entries('kind=member')
    assert.equal(promoted!.actor.name, 'Command line')
    assert.deepEqual(promoted!.changes, [{ field: 'role', before: 'viewer', after: 'staff' }])
  })

  test('settings of a channel are named one by one, and its key never', async () => {
    const config = { credentials: { api_key: 'sesame-4711' }, base_url: 'https://pms.example' }
    const target = await addTarget(owner, { name: 'Desk', config })
    const { version: _, ...body } = { ...target, version: 0 }
    const changed = { ...config, credentials: { api_key: 'sesame-4712' }, timeout_ms: 5_000 }
    const put = { channel_type: body.channel_type, name: body.name, config: changed }
    expectStatus(await owner.put(`/api/v1/channel-targets/${target.id}`, put), 200)
    const [entry] = await entries(`record_id=${target.id}&action=updated`)
    assert.deepEqual(entry!.changes.map(({ field, after }) => [field, after]).sort(), [
      ['secret', 'not shown'],
      ['timeout_ms', 5_000],
    ])
    assert.ok(!JSON.stringify(await entries('')).includes('sesame'))
  })

  test('bookings and the calendar are in the same list, page by page', async () => {
    const unit = await addUnit(owner, { name: 'Attic', base_price_cents: 9_000 })
    const booking = await addBooking(owner, { unitId: unit.id, guestName: 'Ada Guest' })
    await addCalendarChange(owner, { unit_id: unit.id })
    const all = await entries('limit=100')
    const expected = [
      ['calendar', 'changed', 'Attic'],
      ['booking', 'created', 'Ada Guest'],
      ['unit', 'created', 'Attic'],
    ]
    // The rate plan of the unit may have been written in the same millisecond.
    const others = all.filter(({ kind }) => kind !== 'rate_plan')
    assert.deepEqual(words(others).slice(0, 3), expected)
    assert.deepEqual(words(await entries(`record_id=${booking.id}`)), [expected[1]])
    const paged: string[] = []
    for (let cursor = ''; ;) {
      const { audit_entries, next_cursor } = expectStatus(await owner.get(`${path}?limit=3${cursor}`), 200)
      paged.push(...audit_entries.map(({ id }: Entry) => id))
      if (!next_cursor) break
      cursor = `&cursor=${next_cursor}`
    }
    assert.deepEqual(
      paged,
      all.map(({ id }) => id),
    )
  })

  test('is filtered by person, kind and time, and exported', async () => {
    const plan = await addPlan(owner, { name: '=SUM(A1)' })
    assert.ok((await entries('q=owner&kind=rate_plan')).every(({ kind }) => kind === 'rate_plan'))
    assert.deepEqual(await entries(`record_id=${plan.id}&q=nobody`), [])
    const [entry] = await entries(`record_id=${plan.id}`)
    for (const filter of [
      'q=sum%28',
      `actor_id=${entry!.actor.id}`,
      `actor_id=nobody&actor_id=${entry!.actor.id}`,
    ])
      assert.deepEqual(await entries(`record_id=${plan.id}&${filter}`), [entry], filter)
    assert.deepEqual(await entries(`record_id=${plan.id}&to=2020-01-01T00:00:00Z`), [])
    assert.equal((await entries(`record_id=${plan.id}&from=2020-01-01T00:00:00Z`)).length, 1)
    const file = await owner.get(`${path}.csv?record_id=${plan.id}`)
    assert.equal(file.status, 200)
    const lines = file.text.trim().split('\r\n')
    assert.match(lines[0]!, /created_at,actor,actor_type,action,kind,name/)
    assert.ok(lines.slice(1).every((line) => line.includes(`rate_plan,'=SUM(A1),${plan.id}`)))
  })

  test('q ignores case and accents, in the names of records and of people', async () => {
    const editor = await world.home.as('owner', { name: 'Zoë Müller' })
    const { id } = await addUnit(editor, { name: 'São João' })
    for (const q of ['sao joao', 'SÃO', 'zoe muller', 'ül'])
      assert.equal((await entries(`record_id=${id}&q=${encodeURIComponent(q)}`)).length, 1, q)
    assert.deepEqual(await entries(`record_id=${id}&q=joana`), [])
  })

  test('only admins read it, and only that of their organization', async () => {
    const unit = await addUnit(owner)
    for (const format of ['', '.csv'])
      expectProblem(await (await world.home.as('manager')).get(path + format), 403, 'forbidden')
    expectStatus(await (await world.home.as('admin')).get(path), 200)
    assert.deepEqual(await entries(`record_id=${unit.id}`, stranger), [])
  })
})
