import type { Database } from '#db/connect.ts'
import { openRestricted } from '#db/effective-role.ts'
import type { Scope } from '#db/scope.ts'
import type { CalendarValue } from '#features/inventory/calendar/calendar-change.ts'
import { changeCalendar } from '#features/inventory/calendar/change-calendar.ts'
import { createListing } from '#features/distribution/channel-listings/save-listing.ts'
import type { ChannelListingInput } from '#features/distribution/channel-listings/channel-listing.ts'
import { createTarget } from '#features/distribution/channel-targets/save-target.ts'
import type { ChargeInput } from '#features/inventory/charges/charge.ts'
import { createCharge } from '#features/inventory/charges/queries.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import {
  hasOrganizations,
  insertAccount,
  insertOrganization,
} from '#features/tenancy/provisioning/queries.ts'
import { createSpace } from '#features/inventory/spaces/queries.ts'
import { createUnit } from '#features/inventory/units/save-unit.ts'
import { openVault } from '#secrets/vault.ts'
import { seedRatePlan, calendarValuesOf } from './calendar.ts'
import { organizations } from './people.ts'
import { guests, portfolio, type DemoUnit } from './portfolio.ts'
import { insertStays, type DemoStay } from './queries.ts'

/** Fills an empty database with the demonstration data, with the functions that the API uses. */
export async function seed(ownerUrl: string): Promise<{ seeded: boolean }> {
  const owner = openOwner(ownerUrl)
  try {
    if (await hasOrganizations(owner)) return { seeded: false }
    for (const { id, account_id, name, tier, settings } of Object.values(organizations)) {
      await insertOrganization(owner, { id, name, tier, settings })
      await insertAccount(owner, id, name, account_id)
    }
  } finally {
    await owner.close()
  }
  const database = await openRestricted({
    url: ownerUrl,
    poolSize: 4,
    role: 'vacancy_app',
    statementTimeoutMs: 30_000,
    prepare: true,
    applicationName: 'vacancy seed',
    onError: () => {},
  })
  try {
    await Promise.all((['first', 'second'] as const).map((key) => seedOrganization(database, key)))
    return { seeded: true }
  } finally {
    await database.close()
  }
}

const targets = {
  first: ['Atlântica PMS', 'Direct booking desk'],
  second: ['Juniper front office', 'Partner desk'],
}

/** The charges of each space. */
const charges: Record<keyof typeof targets, readonly ChargeInput[]> = {
  first: [
    { name: 'Cleaning', kind: 'fee', basis: 'stay', amount_cents: 3_500 },
    { name: 'City tax', kind: 'tax', basis: 'guest_night', amount_cents: 400, charged_nights: 7 },
    { name: 'A week or longer', kind: 'discount', basis: 'percent', percent: 10, min_nights: 7 },
  ],
  second: [
    { name: 'Cleaning', kind: 'fee', basis: 'stay', amount_cents: 6_000 },
    { name: 'Lodging tax', kind: 'tax', basis: 'percent', percent: 8.1, applies_to: 'base_and_fees' },
  ],
}

async function seedOrganization(database: Database, which: 'first' | 'second'): Promise<void> {
  const { id: orgId, account_id: accountId } = organizations[which]
  const actor = { type: 'system', id: 'seed', name: 'Demonstration' } as const
  const scope: Scope = { orgId, accountId, actor, traceparent: null, database }
  // The demonstration targets have no credentials, so no key is needed.
  const vault = openVault([])
  const [first, second] = await Promise.all(
    targets[which].map((name, at) =>
      createTarget(scope, vault, {
        channel_type: 'pms',
        name,
        config: { provider: 'generic', property_ref: `${which}-${at + 1}` },
      }),
    ),
  )
  const stays: DemoStay[] = []
  const values: CalendarValue[] = []
  let number = 0
  for (const { units, ...space } of portfolio[which]) {
    const { id: space_id } = await createSpace(scope, space)
    for (const charge of charges[which]) await createCharge(scope, { space_id, ...charge })
    for (const unit of units) {
      const { id: unit_id } = await createUnit(scope, { space_id, ...unit })
      number++
      const link = (target: { id: string }, external_id: string): ChannelListingInput => ({
        unit_id,
        channel_target_id: target.id,
        external_id,
      })
      await createListing(scope, link(first!, `RT-${1_000 + number}`))
      if (number % 2 === 0) await createListing(scope, link(second!, `PD-${500 + number}`))
      stays.push(...staysOf(unit_id, unit, number))
      values.push(...calendarValuesOf({ id: unit_id, ...unit }, number))
      values.push(...(await seedRatePlan(scope, { id: unit_id, ...unit }, number)))
    }
  }
  await Promise.all([insertStays(scope, stays), changeCalendar(scope, values)])
}

const dayMs = 86_400_000

/** Four months of stays, one after another in each room. The same stays on every machine. */
function staysOf(unit_id: string, unit: DemoUnit, number: number): DemoStay[] {
  const next = randomGenerator(number)
  const pick = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  const today = Math.floor(Date.now() / dayMs)
  const stays: DemoStay[] = []
  for (let room = 0; room < (unit.quantity ?? 1); room++) {
    for (let day = today + pick(-3, 6); day < today + 120;) {
      const nights = pick(1, 7)
      stays.push({
        unit_id,
        guest_name: guests[pick(0, guests.length - 1)]!,
        guests: pick(1, unit.max_guests),
        arrival: new Date(day * dayMs).toISOString().slice(0, 10),
        nights,
      })
      day += nights + pick(0, 9)
    }
  }
  return stays
}

/** A linear congruential generator, so that the demonstration data is the same in every run. */
function randomGenerator(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 0x1_0000_0000
}
