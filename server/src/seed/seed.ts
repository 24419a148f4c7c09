import type { Connection, Database } from '#db/connect.ts'
import { openRestricted } from '#db/effective-role.ts'
import type { Scope } from '#db/scope.ts'
import type { CalendarValue } from '#features/inventory/calendar/calendar-change.ts'
import { changeCalendar } from '#features/inventory/calendar/change-calendar.ts'
import { createListing } from '#features/distribution/channel-listings/save-listing.ts'
import { createTarget } from '#features/distribution/channel-targets/save-target.ts'
import type { ChargeInput } from '#features/inventory/charges/charge.ts'
import { createCharge } from '#features/inventory/charges/queries.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import {
  hasOrganizations,
  insertAccount,
  insertOrganization,
  upsertMember,
} from '#features/tenancy/provisioning/queries.ts'
import { createSpace } from '#features/inventory/spaces/queries.ts'
import { createUnit } from '#features/inventory/units/save-unit.ts'
import { dayIn, nightOf } from '#schema/nights.ts'
import { openVault } from '#secrets/vault.ts'
import { seedRatePlan, calendarValuesOf } from './calendar.ts'
import { organizations, people } from './people.ts'
import { portfolio } from './portfolio.ts'
import { insertPmsBookings, insertStays, listPayments, type SeededPayment } from './queries.ts'
import { businesses, upcomingStays, yearOfStays, type SeededUnit } from './stays.ts'
import { seedYear, type SeedServices } from './year.ts'

export interface SeedOptions {
  /** `portfolio`: units with what is booked from today on. `year`: also what happened before, and what went wrong. */
  readonly extent: 'portfolio' | 'year'
  readonly services?: SeedServices | undefined
}

interface SeedResult {
  readonly seeded: boolean
  /** Paid at the provider, which must be told about them. */
  readonly payments: readonly SeededPayment[]
}

/** Fills an empty database with the demonstration data, with the functions that the API uses. */
export async function seed(ownerUrl: string, options: SeedOptions): Promise<SeedResult> {
  await using owner = openOwner(ownerUrl)
  if (await hasOrganizations(owner)) return { seeded: false, payments: [] }
  for (const { id, account_id, name, tier, settings } of Object.values(organizations)) {
    await insertOrganization(owner, { id, name, tier, settings })
    await insertAccount(owner, id, name, account_id)
  }
  if (options.extent === 'year') await owner.transaction({ orgId: null }, insertMembers)
  await using database = await openRestricted({
    url: ownerUrl,
    poolSize: 4,
    role: 'vacancy_app',
    statementTimeoutMs: 30_000,
    prepare: true,
    applicationName: 'vacancy seed',
    onError: () => {},
  })
  const payments = await Promise.all(
    (['first', 'second'] as const).map((key) => seedOrganization(database, key, options)),
  )
  return { seeded: true, payments: payments.flat() }
}

interface DemoTarget {
  readonly name: string
  readonly links: (unitNumber: number) => boolean
  readonly externalId: (unitNumber: number) => string
  /** Left out of the plain portfolio. */
  readonly onlyInYear?: boolean
}

const frontOffice = { links: () => true, externalId: (number: number) => `RT-${1_000 + number}` }
const secondDesk = {
  links: (number: number) => number % 2 === 0,
  externalId: (number: number) => `PD-${500 + number}`,
}
const targets: Record<'first' | 'second', readonly DemoTarget[]> = {
  first: [
    { name: 'Atlântica PMS', ...frontOffice },
    { name: 'Direct booking desk', ...secondDesk },
    {
      ...{ name: 'Booking.com', onlyInYear: true },
      links: (number) => number % 3 !== 0,
      externalId: (number) => `BC-${88_200 + number}`,
    },
    {
      ...{ name: 'Airbnb', onlyInYear: true },
      links: (number) => number % 2 === 1,
      externalId: (number) => `AB-${51_400 + number}`,
    },
  ],
  second: [
    { name: 'Juniper front office', ...frontOffice },
    { name: 'Partner desk', ...secondDesk },
  ],
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

async function seedOrganization(
  database: Database,
  which: 'first' | 'second',
  { extent, services }: SeedOptions,
): Promise<readonly SeededPayment[]> {
  const { id: orgId, account_id: accountId, settings } = organizations[which]
  const actor = { type: 'system', id: 'seed', name: 'Demonstration' } as const
  const scope: Scope = { orgId, accountId, actor, traceparent: null, database }
  const links = await seedTargets(scope, which, extent)
  const units: SeededUnit[] = []
  const listingOf = new Map<string, string>()
  const values: CalendarValue[] = []
  for (const { units: unitsOfSpace, ...space } of portfolio[which]) {
    const { id: space_id } = await createSpace(scope, space)
    for (const charge of charges[which]) await createCharge(scope, { space_id, ...charge })
    const today = nightOf(dayIn(space.timezone ?? settings.default_timezone))
    for (const unit of unitsOfSpace) {
      const { id } = await createUnit(scope, { space_id, ...unit })
      const number = units.length + 1
      const channels = links
        .filter((target) => target.links(number))
        .map((target) => ({ id: target.id, external_id: target.externalId(number) }))
      for (const channel of channels) {
        const listing = await createListing(scope, {
          unit_id: id,
          channel_target_id: channel.id,
          external_id: channel.external_id,
        })
        if (!listingOf.has(id)) listingOf.set(id, listing.id)
      }
      units.push({ ...unit, ...{ id, space_id, number, today, channels } })
      values.push(...calendarValuesOf({ id, ...unit }, number))
      values.push(...(await seedRatePlan(scope, { id, ...unit }, number)))
    }
  }
  const stays = units.flatMap((unit) =>
    extent === 'year' ? yearOfStays(unit, businesses[which]) : upcomingStays(unit),
  )
  await Promise.all([insertStays(scope, stays), changeCalendar(scope, values)])
  await insertPmsBookings(scope)
  if (extent === 'year') await seedYear(scope, which, { units, stays, listingOf }, services)
  return await listPayments(scope)
}

/** The people who can sign in. The first sign-in of each sets their identity. */
async function insertMembers(connection: Connection): Promise<void> {
  for (const { org_id, account_id, email, name, role } of people)
    await upsertMember(connection, {
      ...{ orgId: org_id, accountId: account_id, email, name, role },
      ...{ issuer: null, subject: null },
    })
}

async function seedTargets(scope: Scope, which: 'first' | 'second', extent: SeedOptions['extent']) {
  // The demonstration targets have no credentials, so no key is needed.
  const vault = openVault([])
  const wanted = targets[which].filter(({ onlyInYear }) => extent === 'year' || !onlyInYear)
  return await Promise.all(
    wanted.map(async (target, at) => {
      const config = { provider: 'generic', property_ref: `${which}-${at + 1}` } as const
      const { id } = await createTarget(scope, vault, { channel_type: 'pms', name: target.name, config })
      return { ...target, id }
    }),
  )
}
