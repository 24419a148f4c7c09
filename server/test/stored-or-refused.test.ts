import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus, ids } from './expect.ts'
import { addBooking, addSpace, addUnit, unknownId } from './records.ts'
import { addMedia } from './uploads.ts'
import { shareWorld } from './share-world.ts'

// Every member of a request is stored, or the request is refused.

const { owner } = shareWorld()

const bookings = '/api/v1/bookings'
const stay = (unitId: string) => ({
  unitId,
  guestName: 'Ana',
  checkIn: '2030-07-01',
  checkOut: '2030-07-04',
})

suite('the id that a booking has elsewhere', () => {
  test('is stored by POST, PUT and PATCH, found by its filter, and taken away by a PUT without it', async () => {
    const unitId = (await addUnit(owner)).id
    const made = expectStatus(
      await owner.post(bookings, { ...stay(unitId), externalId: 'CRM-1' }),
      201,
    ).booking
    assert.equal(made.externalId, 'CRM-1')
    const at = `${bookings}/${made.id}`
    assert.equal(
      expectStatus(await owner.patch(at, { external_id: 'CRM-2' }), 200).booking.externalId,
      'CRM-2',
    )
    assert.deepEqual(ids((await owner.get(`${bookings}?external_id=CRM-2`)).body.bookings), [made.id])
    const put = { ...stay(unitId), externalId: 'CRM-3' }
    assert.equal(expectStatus(await owner.put(at, put), 200).booking.externalId, 'CRM-3')
    assert.equal(expectStatus(await owner.put(at, stay(unitId)), 200).booking.externalId, null)
  })
})

suite('members that the service decides', () => {
  test('are refused in a POST when they say something else than what is made', async () => {
    const unitId = (await addUnit(owner)).id
    for (const [path, body, members] of [
      [
        bookings,
        stay(unitId),
        ['channelTargetId', 'arrival', 'nights', 'spaceId', 'pms_notes', 'cancelledAt'],
      ],
      [
        '/api/v1/webhook-endpoints',
        { url: 'https://partner.example/webhooks', event_types: ['booking.created'] },
        ['secret'],
      ],
    ] as const)
      for (const member of members) {
        const reply = await owner.post(path, { ...body, [member]: 'x' })
        expectProblem(reply, 400, 'validation-error', `/${member}`)
        expectStatus(await owner.post(path, { ...body, [member]: null }), 201)
        if (path === bookings) await removeAll(unitId)
      }
    const made = expectStatus(await owner.post(bookings, stay(unitId)), 201).booking
    await removeAll(unitId)
    const { id: _, ...copied } = made
    expectStatus(await owner.post(bookings, copied), 201)
  })

  test('of a booking may be repeated as they are or as they become, and not as something else', async () => {
    const unit = await addUnit(owner)
    const { arrival, departure, nights, spaceId, ...booking } = await addBooking(owner, stay(unit.id))
    const at = `${bookings}/${booking.id}`
    const whole = { ...booking, arrival, departure, nights, spaceId }
    expectStatus(await owner.put(at, whole), 200)
    expectStatus(await owner.put(at, { ...whole, checkOut: '2030-07-06' }), 200)
    expectStatus(await owner.patch(at, { checkOut: '2030-07-07', departure: '2030-07-07', nights: 6 }), 200)
    for (const [member, value] of [
      ['arrival', '2030-06-30'],
      ['nights', 3],
      ['spaceId', unknownId],
      ['channelTargetId', unknownId],
      ['pms_notes', 'Late'],
    ])
      expectProblem(await owner.patch(at, { [member!]: value }), 400, 'validation-error', `/${member}`)
    assert.equal((await owner.get(at)).body.booking.departure, '2030-07-07')
  })

  test('of media may be repeated, and it is not moved by them', async () => {
    const space = await addSpace(owner)
    const media = await addMedia(owner, space.id)
    const at = `/api/v1/media/${media.id}`
    expectStatus(await owner.patch(at, { ...media, description: 'The terrace' }), 200)
    const other = (await addSpace(owner)).id
    expectProblem(await owner.patch(at, { property_id: other }), 400, 'validation-error', '/property_id')
  })

  test('a webhook endpoint keeps its secret when another one is sent', async () => {
    const fields = { url: 'https://partner.example/webhooks', event_types: ['booking.created'] }
    const made = expectStatus(await owner.post('/api/v1/webhook-endpoints', fields), 201).webhook_endpoint
    const at = `/api/v1/webhook-endpoints/${made.id}`
    for (const reply of [
      await owner.put(at, { ...fields, secret: 'whsec_b3RoZXI=' }),
      await owner.patch(at, { secret: 'whsec_b3RoZXI=' }),
    ])
      expectProblem(reply, 400, 'validation-error', '/secret')
    expectStatus(await owner.put(at, made), 200)
    expectStatus(await owner.put(at, { ...made, secret: null }), 200)
  })

  test('a new target has not been checked yet, and cannot have the status error', async () => {
    const target = { channel_type: 'pms', name: 'X' }
    for (const [status, becomes] of [
      ['active', 'pending'],
      ['pending', 'pending'],
      ['inactive', 'inactive'],
    ]) {
      const made = expectStatus(await owner.post('/api/v1/channel-targets', { ...target, status }), 201)
      assert.equal(made.channel_target.status, becomes)
    }
    const refused = await owner.post('/api/v1/channel-targets', { ...target, status: 'error' })
    expectProblem(refused, 422, 'semantic-error', '/status')
  })
})

suite('ids in upper case', () => {
  const inUpperCase = (record: object) =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]: [string, unknown]) => [
        name,
        typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value) ? value.toUpperCase() : value,
      ]),
    )

  test('find what they find in lower case', async () => {
    const { org_id } = await addSpace(owner)
    for (const path of [
      `organizations/${org_id}`,
      `organizations?org_id=${org_id}`,
      `events?org_id=${org_id}`,
    ]) {
      const [lower, upper] = await Promise.all([owner.get(`/api/v1/${path}`), owner.get(upperCasePath(path))])
      assert.deepEqual(withoutCursor(expectStatus(upper, 200)), withoutCursor(expectStatus(lower, 200)), path)
    }
  })

  test('are stored in lower case, and change nothing when a record is sent back', async () => {
    const unit = await addUnit(owner)
    const plan = await owner.post('/api/v1/rate-plans', { unit_id: unit.id.toUpperCase(), name: 'Flexible' })
    assert.equal(expectStatus(plan, 201).rate_plan.unit_id, unit.id)
    const booking = await addBooking(owner, stay(unit.id))
    for (const [path, key] of [
      [`/api/v1/units/${unit.id}`, 'unit'],
      [`${bookings}/${booking.id}`, 'booking'],
    ] as const) {
      const before = expectStatus(await owner.get(path), 200)[key]
      assert.deepEqual(expectStatus(await owner.put(path, inUpperCase(before)), 200)[key], before)
    }
  })
})

const upperCasePath = (path: string) => `/api/v1/${path.replace(/[0-9a-f-]{36}/, (id) => id.toUpperCase())}`
const withoutCursor = ({ next_cursor: _, ...body }: Record<string, unknown>) => body

async function removeAll(unitId: string): Promise<void> {
  for (const id of ids((await owner.get(`${bookings}?unit_id=${unitId}`)).body.bookings))
    expectStatus(await owner.delete(`${bookings}/${id}`), 204)
}
