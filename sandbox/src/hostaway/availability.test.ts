import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openHostaway, type Hostaway, type Night } from '../../test/hostaway-caller.ts'

let hostaway: Hostaway
before(async () => (hostaway = await openHostaway()))
after(() => hostaway.close())

const column = (nights: Night[], name: string) => nights.map((one) => one[name])

describe('availability', () => {
  const outcomes: Record<string, [status: string, isAvailable: number]> = {
    new: ['reserved', 0],
    modified: ['reserved', 0],
    ownerStay: ['reserved', 0],
    pending: ['pending', 0],
    awaitingPayment: ['pending', 0],
    cancelled: ['available', 1],
    declined: ['available', 1],
    expired: ['available', 1],
    inquiry: ['available', 1],
    inquiryPreapproved: ['available', 1],
    inquiryDenied: ['available', 1],
    inquiryTimedout: ['available', 1],
    inquiryNotPossible: ['available', 1],
  }
  for (const [status, outcome] of Object.entries(outcomes)) {
    test(`a reservation that is ${status} leaves its night ${outcome[0]}`, async () => {
      const id = await hostaway.addListing()
      await hostaway.reserve(id, '2031-05-01', '2031-05-02', status)
      const { status: shown, isAvailable } = await hostaway.night(id, '2031-05-01')
      assert.deepEqual([shown, isAvailable], outcome)
      assert.equal((await hostaway.night(id, '2031-05-02'))['status'], 'available')
    })
  }

  test('no write frees a reserved night', async () => {
    const id = await hostaway.addListing()
    await hostaway.reserve(id, '2031-05-01', '2031-05-02')
    await hostaway.write(id, [
      { startDate: '2031-05-01', endDate: '2031-05-02', isAvailable: 1, status: 'available' },
    ])
    assert.deepEqual(column(await hostaway.nights(id, '2031-05-01', '2031-05-02'), 'isAvailable'), [0, 1])
  })

  test('several units are sold by number, and isAvailable has no effect on them', async () => {
    const id = await hostaway.addListing({ units: 4 })
    await hostaway.reserve(id, '2031-05-01', '2031-05-02')
    await hostaway.reserve(id, '2031-05-01', '2031-05-02', 'pending')
    const dates = { startDate: '2031-05-01', endDate: '2031-05-01' }
    await hostaway.write(id, [{ ...dates, isAvailable: 0 }])
    const counts = async () => {
      const one = await hostaway.night(id, '2031-05-01')
      return [
        one['status'],
        one['countAvailableUnits'],
        one['availableUnitsToSell'],
        one['countBlockingReservations'],
        one['countPendingUnits'],
        one['countBlockedUnits'],
        one['desiredUnitsToSell'],
      ]
    }
    assert.deepEqual(await counts(), ['available', 4, 2, 1, 1, 0, null])
    await hostaway.write(id, [{ ...dates, desiredUnitsToSell: 1 }])
    assert.deepEqual(await counts(), ['available', 4, 1, 1, 1, 1, 1])
    await hostaway.write(id, [{ ...dates, desiredUnitsToSell: 9 }])
    assert.deepEqual(await counts(), ['available', 4, 2, 1, 1, 0, 9])
    await hostaway.write(id, [{ ...dates, desiredUnitsToSell: 0 }])
    assert.deepEqual(await counts(), ['blocked', 4, 0, 1, 1, 2, 0])
    const single = await hostaway.addListing()
    await hostaway.write(single, [{ ...dates, desiredUnitsToSell: 0 }])
    assert.equal((await hostaway.night(single, '2031-05-01'))['isAvailable'], 1)
  })
})
