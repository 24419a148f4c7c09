import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openHostaway, villa, type Hostaway } from '../../test/hostaway-caller.ts'

let hostaway: Hostaway
before(async () => (hostaway = await openHostaway()))
after(() => hostaway.close())

const read = async (id: number) => (await hostaway.call('GET', `/listings/${id}`)).body.result
const change = (id: number, body: unknown) => hostaway.call('PUT', `/listings/${id}`, body)

describe('listings', () => {
  test('a created listing is read back with its derived members', async () => {
    const { status, body } = await hostaway.call('POST', '/listings', villa)
    assert.equal(status, 200)
    assert.equal(body.status, 'success')
    const listing = await read(body.result.id)
    assert.deepEqual(listing, body.result)
    for (const [name, value] of Object.entries(villa)) assert.deepEqual(listing[name], value, name)
    assert.equal(listing.externalListingName, villa.name)
    assert.equal(listing.country, 'Italy')
    assert.equal(listing.specialStatus, null)
    assert.match(listing.insertedOn, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  })

  test('a name is required', async () => {
    const { status, body } = await hostaway.call('POST', '/listings', { ...villa, name: null })
    assert.equal(status, 400)
    assert.match(body.message, /^Listing error: name/)
  })

  test('an update keeps missing and null members', async () => {
    const id = await hostaway.addListing()
    const { body } = await change(id, { price: 99.5, description: 'By the wall', city: null })
    assert.deepEqual(
      [body.result.price, body.result.description, body.result.city, body.result.name],
      [99.5, 'By the wall', 'Lucca', villa.name],
    )
    assert.deepEqual(await read(id), body.result)
  })

  test('read-only and unknown members succeed and change nothing', async () => {
    const id = await hostaway.addListing()
    const before = await read(id)
    const sent = { id: 1, country: 'Spain', latitude: 1, specialStatus: 'archived', averageReviewRating: 10 }
    const { status, body } = await change(id, sent)
    assert.deepEqual([status, body.status], [200, 'success'])
    assert.deepEqual({ ...(await read(id)), updatedOn: null }, { ...before, updatedOn: null })
  })

  test('only five cancellation policies are known', async () => {
    const id = await hostaway.addListing({ cancellationPolicy: 'firm' })
    const { status, body } = await change(id, { cancellationPolicy: 'nonRefundable', price: 1 })
    assert.equal(status, 400)
    assert.deepEqual(body, {
      status: 'fail',
      message:
        "Listing error: cancellationPolicy: Value 'nonRefundable' for field 'Cancellation policy' is " +
        'invalid, allowed values: flexible, moderate, firm, strict, no_refund',
    })
    const { cancellationPolicy, price } = await read(id)
    assert.deepEqual([cancellationPolicy, price], ['firm', villa.price])
  })

  for (const [name, value] of Object.entries({
    price: -1,
    personCapacity: 2.5,
    bathroomsNumber: '1',
    name: 7,
    instantBookable: true,
  })) {
    test(`${name} cannot be ${JSON.stringify(value)}`, async () => {
      const id = await hostaway.addListing()
      const { status, body } = await change(id, { [name]: value })
      assert.equal(status, 400)
      assert.match(body.message, new RegExp(`^Listing error: ${name}: `))
    })
  }

  test('rows keep their id when they are sent again, and are deleted when they are not', async () => {
    const id = await hostaway.addListing()
    const first = (await change(id, { listingAmenities: [{ amenityId: 2 }, { amenityId: 3 }] })).body.result
    const kept = first.listingAmenities[1]
    const then = (await change(id, { listingAmenities: [{ amenityId: 3 }], listingBedTypes: null })).body
      .result
    assert.deepEqual(then.listingAmenities, [kept])
    assert.equal((await change(id, { listingAmenities: [{ amenityId: 'wifi' }] })).status, 400)
    assert.deepEqual((await read(id)).listingAmenities, [kept])
  })

  test('an empty list takes effect even if the rest is refused', async () => {
    const id = await hostaway.addListing({ listingAmenities: [{ amenityId: 2 }] })
    const refused = await change(id, { listingAmenities: [], cancellationPolicy: 'none' })
    assert.equal(refused.status, 400)
    assert.deepEqual((await read(id)).listingAmenities, [])
  })

  test('an archived one can be read and not written', async () => {
    const id = await hostaway.addListing({ specialStatus: 'archived' })
    assert.equal((await read(id)).specialStatus, 'archived')
    const night = { startDate: '2031-05-01', endDate: '2031-05-01', price: 1 }
    for (const [method, path, body] of [
      ['PUT', '', { price: 1 }],
      ['PUT', '/calendar', night],
      ['PUT', '/calendarIntervals', [night]],
      ['POST', '/images', { images: [{ url: 'https://example.com/a.jpg' }] }],
    ] as const) {
      const answer = await hostaway.call(method, `/listings/${id}${path}`, body)
      assert.equal(answer.status, 400, path)
      assert.match(answer.body.result, /archived/)
    }
    await hostaway.control('PATCH', `listings/${id}`, { specialStatus: null })
    assert.equal((await change(id, { price: 1 })).status, 200)
  })

  test('the list is sorted, filtered and can leave out the rows', async () => {
    await using other = await openHostaway()
    const second = await other.addListing({ name: 'Beta', city: 'Pisa', propertyTypeId: 2 })
    const first = await other.addListing({ name: 'Alpha', specialStatus: 'archived' })
    const ids = async (query: string) =>
      (await other.call('GET', `/listings?${query}`)).body.result.map(({ id }: { id: number }) => id)
    assert.deepEqual(await ids(''), [second, first])
    assert.deepEqual(await ids('sortOrder=name'), [first, second])
    assert.deepEqual(await ids('sortOrder=nameReversed'), [second, first])
    assert.deepEqual(await ids('city=Pisa'), [second])
    assert.deepEqual(await ids('match=alph'), [first])
    assert.deepEqual(await ids('propertyTypeId=2'), [second])
    assert.deepEqual(await ids('specialStatus[]=active'), [second])
    const [plain] = (await other.call('GET', '/listings?includeResources=0')).body.result
    assert.deepEqual(
      [plain.name, plain.listingImages, plain.listingAmenities],
      ['Beta', undefined, undefined],
    )
  })
})

describe('images', () => {
  const url = (name: string) => `https://example.com/${name}.jpg`

  test('they are accepted at once and appear later, in their order', async () => {
    const id = await hostaway.addListing()
    const images = [
      { url: url('bath'), sortOrder: 2 },
      { url: url('hall'), caption: 'Hall', sortOrder: 1 },
    ]
    const { body } = await hostaway.call('POST', `/listings/${id}/images`, { images })
    assert.equal(body.status, 'success')
    assert.equal(body.result.imagesCount, 2)
    assert.match(body.result.message, new RegExp(`for listing ${id}\\. 2 images will be processed`))
    assert.deepEqual((await read(id)).listingImages, [])
    await hostaway.setClockAhead(2000)
    const shown = (await read(id)).listingImages
    assert.deepEqual(
      shown.map(({ id: _, ...image }: { id: number }) => image),
      [
        { url: url('hall'), caption: 'Hall', sortOrder: 1 },
        { url: url('bath'), caption: null, sortOrder: 2 },
      ],
    )
    assert.deepEqual((await hostaway.call('GET', `/listings/${id}/images`)).body.result, shown)

    const [hall] = shown
    const put = await change(id, { listingImages: [{ ...hall, sortOrder: 9 }] })
    assert.deepEqual(put.body.result.listingImages, [{ ...hall, sortOrder: 9 }])
  })

  const refused: [unknown, string][] = [
    [{}, 'The "images" parameter is required and must be a non-empty array.'],
    [{ images: [] }, 'The "images" parameter is required and must be a non-empty array.'],
    [{ images: ['x'] }, 'Image at index 0 must be an object.'],
    [{ images: [{ url: url('a') }, {}] }, 'Image at index 1 is missing the required "url" field.'],
    [{ images: [{ url: 'not-a-valid-url' }] }, 'Image at index 0 has an invalid URL: not-a-valid-url'],
  ]
  for (const [body, result] of refused) {
    test(`${JSON.stringify(body)} is refused with the vendor's message`, async () => {
      const id = await hostaway.addListing()
      const answer = await hostaway.call('POST', `/listings/${id}/images`, body)
      assert.equal(answer.status, 400)
      assert.deepEqual(answer.body, { status: 'fail', result })
    })
  }
})
