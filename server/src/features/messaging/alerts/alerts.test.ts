import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { atomically, type Scope } from '#db/scope.ts'
import { readFeed } from '#test/events.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { noIds, unknownId } from '#test/records.ts'
import { addLinkedUnit, type LinkedUnit } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import type { TestOrganization } from '#test/world.ts'
import type { AlertKind } from './alert.ts'
import { raiseAlerts, resolveAlerts, type NewAlert, type AlertSubject } from './queries.ts'

const { world, owner } = shareWorld()
const path = '/api/v1/alerts'

const scopeOf = ({ id, accountId }: TestOrganization): Scope => ({
  orgId: id,
  accountId,
  actor: { type: 'system', id: 'test', name: 'Test' },
  traceparent: null,
  database: world.resources.database,
})
const raise = (...alerts: NewAlert[]) =>
  atomically(scopeOf(world.home), (transaction) => raiseAlerts(transaction, alerts))
const resolve = (kinds: AlertKind | AlertKind[], subject: AlertSubject) =>
  atomically(scopeOf(world.home), (transaction) => resolveAlerts(transaction, kinds, subject))

const failed = ({ listingId, targetId, unitId }: LinkedUnit, message = 'The PMS refused it.'): NewAlert => ({
  account_id: world.home.accountId,
  kind: 'sync.failed',
  channel_listing_id: listingId,
  channel_target_id: targetId,
  unit_id: unitId,
  message,
  hint: 'Look at the mapping.',
  details: { code: 'validation_rejected' },
})
const away = ({ targetId }: LinkedUnit): NewAlert => ({
  account_id: world.home.accountId,
  kind: 'target.error',
  channel_target_id: targetId,
  message: 'The PMS is away.',
  hint: 'Wait.',
})
const found = async (query: string) => expectStatus(await owner.get(`${path}?${query}`), 200).alerts

suite('alerts: happy', () => {
  test('an alert has its subject, the problem and a hint; a single one has an ETag', async () => {
    const linked = await addLinkedUnit(owner)
    await raise(failed(linked))
    const [alert] = await found(`channel_listing_id=${linked.listingId}`)
    const { id, first_at, last_at, ...rest } = alert
    assert.deepEqual(rest, {
      org_id: world.home.id,
      account_id: world.home.accountId,
      kind: 'sync.failed',
      status: 'open',
      channel_listing_id: linked.listingId,
      channel_target_id: linked.targetId,
      unit_id: linked.unitId,
      message: 'The PMS refused it.',
      hint: 'Look at the mapping.',
      details: { code: 'validation_rejected' },
      times: 1,
      resolved_at: null,
    })
    assert.equal(first_at, last_at)
    const alone = await owner.get(`${path}/${id}`)
    assert.deepEqual(expectStatus(alone, 200), { alert })
    const again = await owner.get(`${path}/${id}`, { 'if-none-match': alone.headers.get('etag')! })
    assert.equal(again.status, 304)
  })

  test('a repeated alert is counted with the latest message; after it is resolved, a new one is raised', async () => {
    const linked = await addLinkedUnit(owner)
    await raise(failed(linked, 'First.'))
    await raise(failed(linked, 'Second.'), failed(linked, 'Third.'))
    const query = `channel_listing_id=${linked.listingId}`
    const [open, ...none] = await found(query)
    assert.deepEqual([open.times, open.message, none.length], [3, 'Third.', 0])
    assert.ok(open.last_at >= open.first_at)
    await resolve('sync.failed', { listingIds: [linked.listingId] })
    const [resolved] = await found(query)
    assert.deepEqual([resolved.id, resolved.status], [open.id, 'resolved'])
    assert.ok(resolved.resolved_at >= resolved.last_at)
    await raise(failed(linked, 'Anew.'))
    const both = await found(query)
    assert.deepEqual(
      both.map((one: Record<string, unknown>) => [one['message'], one['status'], one['times']]),
      [
        ['Anew.', 'open', 1],
        ['Third.', 'resolved', 3],
      ],
    )
  })

  test('other kinds, listings, targets and units have alerts of their own', async () => {
    const [one, two] = [await addLinkedUnit(owner), await addLinkedUnit(owner)]
    const conflict = ({ unitId }: LinkedUnit): NewAlert => ({
      ...away(one),
      kind: 'booking.conflict',
      unit_id: unitId,
    })
    await raise(failed(one), failed(two), away(one), away(two), { ...failed(one), kind: 'listing.stale' })
    await raise(conflict(one), conflict(two))
    const kinds = async (query: string) =>
      (await found(query)).map(({ kind }: { kind: string }) => kind).sort()
    assert.deepEqual(await kinds(`channel_target_id=${one.targetId}`), [
      'booking.conflict',
      'booking.conflict',
      'listing.stale',
      'sync.failed',
      'target.error',
    ])
    assert.deepEqual(await kinds(`unit_id=${two.unitId}&kind=booking.conflict`), ['booking.conflict'])
    assert.deepEqual(await kinds(`channel_target_id=${two.targetId}&kind=target.error`), ['target.error'])

    await resolve(['sync.failed', 'listing.stale'], { listingIds: [one.listingId] })
    assert.deepEqual(await kinds(`channel_listing_id=${one.listingId}&status=open`), [])
    assert.deepEqual(await kinds(`channel_listing_id=${two.listingId}&status=open`), ['sync.failed'])
    await resolve('target.error', { targetId: one.targetId })
    assert.deepEqual(await kinds(`kind=target.error&status=open&channel_target_id=${two.targetId}`), [
      'target.error',
    ])
    assert.deepEqual(await kinds(`channel_target_id=${one.targetId}&status=resolved`), [
      'listing.stale',
      'sync.failed',
      'target.error',
    ])
  })

  test('raising or resolving nothing has no effect, and a long message is cut', async () => {
    const linked = await addLinkedUnit(owner)
    await raise()
    await resolve('sync.failed', { listingIds: [] })
    await raise(failed(linked, '🛏'.repeat(2_000)))
    const [alert] = await found(`channel_listing_id=${linked.listingId}&status=open`)
    assert.equal([...alert.message].length, 1_000)
  })

  test('concurrent alerts neither deadlock nor get lost', async () => {
    const linked = [await addLinkedUnit(owner), await addLinkedUnit(owner), await addLinkedUnit(owner)]
    const turned = [...linked].reverse()
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        at % 5 === 4
          ? resolve('drift.found', { listingIds: linked.map(({ listingId }) => listingId) })
          : raise(
              ...(at % 2 ? linked : turned).map((one) => ({ ...failed(one), kind: 'drift.found' as const })),
            ),
      ),
    )
    for (const { listingId } of linked) {
      const alerts = await found(`channel_listing_id=${listingId}&kind=drift.found&limit=100`)
      const times = alerts.reduce((sum: number, alert: { times: number }) => sum + alert.times, 0)
      assert.equal(times, 16)
      assert.ok(alerts.filter(({ status }: { status: string }) => status === 'open').length <= 1)
    }
  })

  test('the newest come first, page by page', async () => {
    const all = await found('limit=100')
    const first = expectStatus(await owner.get(`${path}?limit=2`), 200)
    const second = expectStatus(await owner.get(`${path}?limit=2&cursor=${first.next_cursor}`), 200)
    assert.deepEqual(ids([...first.alerts, ...second.alerts]), ids(all).slice(0, 4))
    const times = all.map(({ last_at }: { last_at: string }) => last_at)
    assert.deepEqual(times, times.toSorted().reverse())
  })

  test('alerts are resolved when their listing, target or unit is deleted, and deleted with it', async () => {
    const linked = await addLinkedUnit(owner)
    const { unitId: unit_id } = linked
    const refund = { account_id: world.home.accountId, kind: 'refund.failed', unit_id } as const
    await raise(failed(linked), away(linked), { ...refund, message: 'It failed.', hint: 'Pay it.' })
    const raised = await found(`limit=100`)
    const mine = raised.filter((one: Record<string, unknown>) =>
      [one['channel_target_id'], one['unit_id']].some((id) => id === linked.targetId || id === unit_id),
    )
    assert.equal(mine.length, 3)
    const resolved = async () => {
      const about = (await readFeed(world, owner)).filter(({ type }) => type === 'alert.resolved')
      return about
        .map(({ data }) => data.alert)
        .filter(({ id }) => mine.some((one: { id: string }) => one.id === id))
    }
    assert.equal((await owner.delete(`/api/v1/channel-listings/${linked.listingId}`)).status, 204)
    const left = await found(`channel_target_id=${linked.targetId}`)
    assert.deepEqual([left.length, left[0].kind], [1, 'target.error'])
    assert.equal((await owner.delete(`/api/v1/channel-targets/${linked.targetId}`)).status, 204)
    assert.deepEqual(await found(`channel_target_id=${linked.targetId}`), [])
    assert.equal((await owner.delete(`/api/v1/units/${unit_id}`)).status, 204)
    assert.deepEqual(await found(`unit_id=${unit_id}`), [])
    assert.deepEqual(
      (await resolved()).map(({ kind, status }) => [kind, status]),
      [
        ['sync.failed', 'resolved'],
        ['target.error', 'resolved'],
        ['refund.failed', 'resolved'],
      ],
    )
  })
})

suite('alerts: error', () => {
  test('returns 404 for an unknown id, and 400 for an invalid id or filter value', async () => {
    expectProblem(await owner.get(`${path}/${unknownId}`), 404, 'not-found')
    for (const id of noIds) expectProblem(await owner.get(`${path}/${id}`), 400, 'validation-error', '/id')
    expectProblem(await owner.get(`${path}?status=closed`), 400, 'validation-error', '/status')
    expectProblem(await owner.get(`${path}?kind=x`), 400, 'validation-error', '/kind')
  })
})

suite('alerts: security', () => {
  test('another organization sees none, nor does a caller without sync:read', async () => {
    const linked = await addLinkedUnit(owner)
    await raise(failed(linked))
    const [alert] = await found(`channel_listing_id=${linked.listingId}`)
    const stranger = await world.away.as('owner')
    expectProblem(await stranger.get(`${path}/${alert.id}`), 404, 'not-found')
    assert.deepEqual(expectStatus(await stranger.get(path), 200).alerts, [])
    const service = await world.home.as('service', { permissions: ['units:read'] })
    expectProblem(await service.get(path), 403, 'forbidden')
    expectProblem(await service.get(`${path}/${alert.id}`), 403, 'forbidden')
    expectStatus(await (await world.home.as('viewer')).get(path), 200)
  })

  test('an alert of one organization cannot be about a listing of another', async () => {
    const stranger = await world.away.as('owner')
    await assert.rejects(raise(failed(await addLinkedUnit(stranger))), { code: '23503' })
  })
})
