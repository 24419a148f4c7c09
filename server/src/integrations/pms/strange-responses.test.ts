import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { openEditedPms } from '#test/edited-pms.ts'
import { buildChange, nights, type PmsFixture } from '#test/pms-fixture.ts'
import { pmsFixtures } from '#test/pms-fixtures.ts'
import { PmsFailure } from './pms-failure.ts'
import type { PmsConnection } from './pms.ts'

/** Responses of another form are failures of the PMS, or what is wrong in them is ignored: never errors of ours. */

const readUnits = (pms: PmsConnection, { units }: PmsFixture) => pms.readUnits(units, nights(1, 5), {})
const listOffers = (pms: PmsConnection) => pms.listOffers({})
const pushTwo = (pms: PmsConnection, fixture: PmsFixture) =>
  pms.push([buildChange(fixture, 0, 1), buildChange(fixture, 1, 1)], {})

const cases = [
  ['generic', 'a calendar that is null', readUnits, /"units":\[/, '"units":[null,'],
  ['generic', 'a unit that is null', listOffers, /"units":\[/, '"units":[null,'],
  [
    'generic',
    'a refusal that is null',
    pushTwo,
    /"accepted":(\d+),"refused":\[\]/,
    (_: string, count: string) => `"accepted":${Number(count) - 1},"refused":[null]`,
  ],
  ['channex', 'a photo that is null', readUnits, /"photos":\[\]/, '"photos":[null]'],
  [
    'channex',
    'nights that are no dates',
    readUnits,
    /("data":\{"[^"]+":\{)"\d{4}/,
    '$1"odd":1,"other":1,"2026',
  ],
] as const

suite('strange responses of a PMS', () => {
  for (const [name, what, run, pattern, replacement] of cases)
    test(`${name}: ${what}`, async () => {
      await using fixture = await pmsFixtures[name]()
      let edits = 0
      await using pms = await openEditedPms(fixture.url, (_, body) => {
        const edited = body.replace(pattern, replacement as string)
        if (edited !== body) edits++
        return edited
      })
      await Promise.resolve(run(fixture.connect({ baseUrl: pms.url }), fixture)).catch((error: unknown) => {
        if (!(error instanceof PmsFailure)) throw error
      })
      assert.ok(edits > 0, 'a response was changed')
    })
})
