import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { channexCaller, type Shown } from '../../test/channex-caller.ts'
import { startChannex } from './server.ts'

let channex: Awaited<ReturnType<typeof startChannex>>
before(async () => (channex = await startChannex()))
after(() => channex.close())

const { call, api, seedProperty } = channexCaller(() => channex.url)

const villa = {
  title: 'Villa',
  currency: 'GBP',
  timezone: 'Europe/London',
  country: 'GB',
  zip_code: 'SA23 2JH',
}
const room = { title: 'Double', count_of_rooms: 2, occ_adults: 2, occ_children: 0, occ_infants: 0 }

async function create(path: string, body: object) {
  const { status, body: answered } = await api('POST', path, body)
  assert.equal(status, 201, JSON.stringify(answered))
  return answered.data
}

async function details(method: string, path: string, body: unknown) {
  const refused = await api(method, path, body)
  assert.equal(refused.status, 422, JSON.stringify(refused.body))
  assert.deepEqual(
    [refused.body.errors.code, refused.body.errors.title],
    ['validation_error', 'Validation Error'],
  )
  return refused.body.errors.details
}

describe('the envelope', () => {
  test('without a valid key every call is 401', async () => {
    const errors = { code: 'unauthorized', title: 'Unauthorized' }
    for (const key of [undefined, 'invalid-key']) {
      const headers: Record<string, string> = key ? { 'user-api-key': key } : {}
      for (const path of ['/properties', '/nowhere']) {
        const { status, body } = await call('GET', `/api/v1${path}`, undefined, headers)
        assert.deepEqual([status, body], [401, { errors }])
      }
    }
  })

  test('unknown paths are 404, and unreadable bodies 400', async () => {
    for (const path of ['/nowhere', `/room_types/${randomUUID()}`, '/properties/1/2/3']) {
      const { status, body } = await api('GET', path)
      assert.deepEqual([status, body.errors.title], [404, 'Resource Not Found'])
    }
    for (const body of ['{', '[]', '{"title":"Villa"}', '{"property":[]}']) {
      const refused = await api('POST', '/properties', body)
      assert.deepEqual([refused.status, refused.body.errors.code], [400, 'bad_request'])
    }
  })

  test('lists have pages of ten, at most a hundred, an order and filters', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `Paged ${String(n).padStart(2, '0')}`)
    for (const title of names.toReversed()) await create('/properties', { property: { ...villa, title } })
    const wanted = `filter[title]=${encodeURIComponent(names.join(','))}`
    const titles = (body: { data: Shown[] }) => body.data.map(({ attributes }) => attributes['title'])

    const first = (await api('GET', `/properties?${wanted}`)).body
    assert.deepEqual(titles(first), names.slice(0, 10))
    assert.deepEqual(first.meta, { page: 1, total: 12, limit: 10 })
    const second = (await api('GET', `/properties?${wanted}&pagination[page]=2`)).body
    assert.deepEqual(titles(second), names.slice(10))
    const down = (await api('GET', `/properties?${wanted}&pagination[limit]=2&order[title]=desc`)).body
    assert.deepEqual(titles(down), ['Paged 11', 'Paged 10'])
    assert.equal((await api('GET', '/properties?pagination[limit]=500')).body.meta.limit, 100)
    const late = (await api('GET', `/properties?${wanted}&filter[title][gt]=Paged 09`)).body
    assert.deepEqual(titles(late), names.slice(10))
    assert.equal((await api('GET', '/properties?pagination[page]=0')).status, 400)
  })
})

describe('properties', () => {
  test('are created, read, changed by the sent fields, and deleted', async () => {
    const { id, type, attributes } = await create('/properties', { property: { ...villa, unheard_of: 1 } })
    assert.equal(type, 'property')
    assert.deepEqual([attributes.id, attributes.title, attributes.timezone], [id, 'Villa', 'Europe/London'])
    assert.equal(attributes.unheard_of, undefined)
    assert.deepEqual([attributes.settings.min_stay_type, attributes.settings.state_length], ['both', 500])

    const changed = await api('PUT', `/properties/${id}`, { property: { city: 'Swansea' } })
    assert.deepEqual([changed.status, changed.body.data.id], [200, id])
    assert.deepEqual(changed.body.data.attributes, { ...attributes, city: 'Swansea' })
    assert.deepEqual((await api('GET', `/properties/${id}`)).body, changed.body)

    assert.deepEqual((await api('DELETE', `/properties/${id}`)).body, { meta: { message: 'Success' } })
    const gone = await api('GET', `/properties/${id}`)
    assert.deepEqual([gone.status, gone.body.errors.code], [404, 'resource_not_found'])
  })

  test('all errors are reported at once, by field', async () => {
    const wrong = { currency: 'XXQ', timezone: 'Europe/Atlantis', country: 'Wales', phone: '1'.repeat(33) }
    assert.deepEqual(await details('POST', '/properties', { property: { title: '', ...wrong } }), {
      title: ["can't be blank"],
      currency: ['is invalid'],
      timezone: ['is invalid'],
      country: ['is invalid'],
      phone: ['should be at most 32 character(s)'],
    })
    const settings = { min_stay_type: 'never' }
    assert.ok((await details('POST', '/properties', { property: { ...villa, settings } })).settings)
  })

  test('photos keep their ids when content is sent again', async () => {
    const photos = [1, 2].map((n) => ({ url: `https://photos.example/${n}`, position: n }))
    const first = await create('/properties', {
      property: { ...villa, content: { description: 'Old', photos } },
    })
    const content = { photos: photos.toReversed() }
    const again = (await api('PUT', `/properties/${first.id}`, { property: { content } })).body.data
    const ids = ({ attributes }: Shown) =>
      (attributes['content'] as { photos: { id: string }[] }).photos.map(({ id }) => id)
    assert.equal(new Set(ids(first).filter(Boolean)).size, 2)
    assert.deepEqual(ids(again), ids(first).toReversed())
    assert.equal(again.attributes.content.description, 'Old')
  })
})

describe('room types', () => {
  test('stay in their property, and are deleted with it', async () => {
    const { property, double } = await seedProperty()
    const kept = (await api('GET', `/room_types/${double}`)).body.data
    assert.equal(kept.relationships.property.data.id, property)
    const elsewhere = await seedProperty()
    const moved = { room_type: { title: 'Moved', property_id: elsewhere.property } }
    const changed = (await api('PUT', `/room_types/${double}`, moved)).body.data
    assert.equal(changed.relationships.property.data.id, property)
    assert.deepEqual(changed.attributes, { ...kept.attributes, title: 'Moved' })

    const of = async (path: string) =>
      (await api('GET', `${path}?filter[property_id]=${property}`)).body.meta.total
    assert.deepEqual([await of('/room_types'), await of('/rate_plans')], [2, 3])
    await api('DELETE', `/room_types/${double}`)
    assert.deepEqual([await of('/room_types'), await of('/rate_plans')], [1, 2])
    await api('DELETE', `/properties/${property}`)
    assert.deepEqual([await of('/room_types'), await of('/rate_plans')], [0, 0])
  })

  test('need every count, and a default occupancy within the adults', async () => {
    const { property: property_id } = await seedProperty()
    assert.deepEqual(await details('POST', '/room_types', { room_type: { property_id, title: 'R' } }), {
      count_of_rooms: ["can't be blank"],
      occ_adults: ["can't be blank"],
      occ_children: ["can't be blank"],
      occ_infants: ["can't be blank"],
      default_occupancy: ["can't be blank"],
    })
    const large = { ...room, property_id, default_occupancy: 3 }
    assert.deepEqual(await details('POST', '/room_types', { room_type: large }), {
      default_occupancy: ['must be less than or equal to 2'],
    })
    const strange = { ...room, property_id: randomUUID(), default_occupancy: 2 }
    assert.deepEqual(Object.keys(await details('POST', '/room_types', { room_type: strange })), [
      'property_id',
    ])
    const suite = { ...room, property_id, default_occupancy: 2, room_kind: 'suite', count_of_rooms: 0 }
    assert.deepEqual(await details('POST', '/room_types', { room_type: suite }), {
      count_of_rooms: ['must be greater than 0'],
      room_kind: ['is invalid'],
    })
  })
})

describe('rate plans', () => {
  const options = [{ occupancy: 2, is_primary: true, rate: 10_050 }]

  test('have decimal prices and the currency of the property, and keep ids when sent again', async () => {
    const { property: property_id, double: room_type_id } = await seedProperty()
    const rate_plan = { property_id, room_type_id, title: 'Saver', options, max_stay: 7 }
    const { id, attributes } = await create('/rate_plans', { rate_plan })
    assert.equal(attributes.currency, 'EUR')
    assert.deepEqual(attributes.max_stay, [7, 7, 7, 7, 7, 7, 7])
    assert.deepEqual(attributes.options, [
      { id, occupancy: 2, is_primary: true, derived_option: null, rate: '100.50' },
    ])
    for (const title of ['Saver', 'Saver 2']) {
      const sent = { rate_plan: { ...rate_plan, title } }
      const again = (await api('PUT', `/rate_plans/${id}`, sent)).body.data
      assert.deepEqual([again.id, again.attributes], [id, { ...attributes, title }])
    }

    const blank = { ...rate_plan, title: 'Blank', currency: '', meal_type: '' }
    const plain = (await create('/rate_plans', { rate_plan: blank })).attributes
    assert.deepEqual([plain.currency, plain.meal_type], ['EUR', 'none'])
    const yen = { ...rate_plan, title: 'Yen', currency: 'JPY' }
    assert.equal((await create('/rate_plans', { rate_plan: yen })).attributes.options[0].rate, '10050')
  })

  test('fit their room type, and have a unique title in the property', async () => {
    const { property: property_id, double: room_type_id, family } = await seedProperty()
    const plan = { property_id, room_type_id, title: 'Third', options }
    const fault = (changes: object) => details('POST', '/rate_plans', { rate_plan: { ...plan, ...changes } })
    assert.deepEqual(await fault({ title: 'Flexible', room_type_id: family }), {
      title: ['has already been taken'],
    })
    assert.deepEqual(await fault({ options: [{ occupancy: 3, is_primary: true }] }), {
      options: ["occupancy 3 exceeds the room type's max adults occupancy of 2"],
    })
    assert.deepEqual(await fault({ options: undefined }), { options: ["can't be blank"] })
    assert.deepEqual(await fault({ options: [{ occupancy: 2, is_primary: false }] }), {
      options: ['is invalid'],
    })
    assert.deepEqual(await fault({ room_type_id: [room_type_id, family] }), { room_type_id: ['is invalid'] })
    assert.deepEqual(await fault({ room_type_id: randomUUID() }), { room_type_id: ['is invalid'] })
    const elsewhere = await seedProperty()
    assert.deepEqual(await fault({ room_type_id: elsewhere.double }), { property_id: ['is invalid'] })
    assert.deepEqual(await fault({ sell_mode: 'per_night', rate_mode: 'guess' }), {
      sell_mode: ['is invalid'],
      rate_mode: ['is invalid'],
    })
    assert.ok((await fault({ rate_mode: 'auto' })).auto_rate_settings)
  })

  test('options list all of them with few attributes', async () => {
    const { property, flexible, double } = await seedProperty()
    const { data } = (await api('GET', `/rate_plans/options?filter[property_id]=${property}`)).body
    assert.equal(data.length, 3)
    assert.deepEqual(data.find(({ id }: Shown) => id === flexible).attributes, {
      id: flexible,
      title: 'Flexible',
      property_id: property,
      room_type_id: double,
      sell_mode: 'per_room',
      parent_rate_plan_id: null,
    })
  })
})
