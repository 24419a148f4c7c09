import { atomically, type Actor, type Scope } from '#db/scope.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import type { Vault } from '#secrets/vault.ts'
import { getTargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { createFeed } from '#features/distribution/calendar-feeds/save-feed.ts'
import { applyPmsBooking } from '#features/distribution/pms-bookings/apply-pms-booking.ts'
import { changeCalendar } from '#features/inventory/calendar/change-calendar.ts'
import { applySeason } from '#features/inventory/seasons/apply-season.ts'
import { createSeason } from '#features/inventory/seasons/queries.ts'
import { createEndpoint } from '#features/messaging/webhooks/queries.ts'
import { addBooking } from '#features/reservations/bookings/add-booking.ts'
import { createQuote } from '#features/reservations/quotes/create-quote.ts'
import { insertDeliveries, insertPastStop, makeStale } from './incident-queries.ts'
import { organizations, people } from './people.ts'
import { insertHistory, insertPayments } from './queries.ts'
import type { DemoStay, SeededUnit } from './stays.ts'

/** What is needed for the parts of the demonstration that hold a secret or an address of this machine. */
export interface SeedServices {
  readonly vault: Vault
  /** Accepts every webhook; an address below it is unknown. */
  readonly webhookUrl: string
}

export interface Portfolio {
  readonly units: readonly SeededUnit[]
  readonly stays: readonly DemoStay[]
  readonly listingOf: ReadonlyMap<string, string>
}

/** What happened in the year of an organization beside its stays, done by several people. */
export async function seedYear(
  scope: Scope,
  which: 'first' | 'second',
  portfolio: Portfolio,
  services: SeedServices | undefined,
): Promise<void> {
  const actors = actorsOf(which)
  const as = (role: keyof typeof actors): Scope => ({ ...scope, actor: actors[role] })
  await insertHistory(scope, [actors.manager, actors.staff, actors.manager, actors.admin])
  await insertPayments(scope)
  await insertPastStop(scope, {
    space_id: portfolio.units[0]!.space_id,
    reason: 'Water damage in the stairwell',
    ...{ stoppedBy: actors.manager, liftedBy: actors.owner, daysAgo: 41 },
  })
  // Before the rules of the holidays, which may exclude the dates of the offers.
  await offerStays(as('manager'), portfolio)
  await planHolidays(as('admin'), portfolio)
  await sellTwice(scope, portfolio, organizations[which].settings.default_currency)
  await changeCalendar(as('staff'), [repairOf(portfolio)])
  if (services) await connectPartners(as('owner'), portfolio, services)
  await makeStale(scope, portfolio.listingOf.get(portfolio.units[7]!.id)!)
}

const actorsOf = (which: 'first' | 'second') =>
  Object.fromEntries(
    people
      .filter(({ org }) => org === which)
      .map(({ id, name, role }) => [role, { type: 'user', id, name } satisfies Actor]),
  ) as Record<(typeof people)[number]['role'], Actor>

/** A season, saved and applied to the first two spaces. */
async function planHolidays(scope: Scope, { units }: Portfolio): Promise<void> {
  const year = new Date().getUTCFullYear()
  const { id } = await createSeason(scope, {
    name: `Turn of the year ${year}`,
    values: [
      {
        ...{ date_from: `${year}-12-22`, date_to: `${year + 1}-01-02` },
        ...{ price_percent: 30, min_stay_arrival: 3 },
      },
      { date_from: `${year}-12-30`, date_to: `${year}-12-31`, price_percent: 25, closed_to_departure: true },
    ],
  })
  const space_ids = [...new Set(units.map(({ space_id }) => space_id))].slice(0, 2)
  await applySeason(scope, id, { space_ids })
}

/** A quote that waits for its answer, one that became a booking, and one that holds its room. */
async function offerStays(scope: Scope, portfolio: Portfolio): Promise<void> {
  const [open, booked, held] = portfolio.units.filter(({ quantity }) => quantity === 1)
  const offer = (unit: SeededUnit, more: { hold?: boolean; guest_name?: string } = {}) => {
    const { from, to } = findGap(portfolio, unit)
    return createQuote(scope, { unit_id: unit.id, check_in: from, check_out: to, guests: 2, ...more })
  }
  await offer(open!)
  await offer(held!, { hold: true, guest_name: 'Teresa Vaz' })
  const { from, to } = findGap(portfolio, booked!)
  const quote = await offer(booked!)
  await addBooking(scope, {
    ...{ unitId: booked!.id, checkIn: from, checkOut: to, quoteId: quote.id, guests: 2 },
    ...{ guestName: 'Anneke Visser', guestEmail: 'anneke.visser@guest.example' },
    notes: 'Asked by phone for the quiet side.',
  })
}

/** Two bookings of a PMS that do not fit: a room that was sold here already, and one that is linked to nothing. */
async function sellTwice(scope: Scope, { units, stays }: Portfolio, currency: string): Promise<void> {
  const soon = (stay: DemoStay, { today }: SeededUnit) => {
    const days = nightOf(stay.arrival) - today
    return stay.status === 'confirmed' && stay.nights >= 3 && days > 2 && days < 60
  }
  const unit = units.find(
    (one) => one.quantity === 1 && stays.some((stay) => stay.unit_id === one.id && soon(stay, one)),
  )!
  const stay = stays.find((one) => one.unit_id === unit.id && soon(one, unit))!
  const [channel] = unit.channels
  const target = (await getTargetConnection(scope, channel!.id))!
  const arrival = dateOf(nightOf(stay.arrival) + 1)
  const departure = dateOf(nightOf(stay.arrival) + stay.nights)
  const sold = (id: string, listing: string, guestName: string) => ({
    ...{ id, revision: null, revisedAt: new Date().toISOString(), status: 'confirmed' as const },
    ...{ guestName, guestEmail: null, guestPhone: '+46701740605', notes: null, currency },
    lines: [
      {
        ...{ key: '', listing, plan: null, arrival, departure, rooms: 1, guests: 2 },
        totalCents: unit.base_price_cents * (stay.nights - 1),
      },
    ],
  })
  const twice = [
    sold('4471-880213', channel!.external_id, 'Karin Lindqvist'),
    sold('4471-880377', 'RT-2040', 'Paul Novák'),
  ]
  for (const booking of twice)
    await atomically(scope, (transaction) =>
      applyPmsBooking(transaction, booking, { target, needsPlan: false, requestedAt: null }),
    )
}

function repairOf(portfolio: Portfolio) {
  const unit = portfolio.units.filter(({ quantity }) => quantity === 1)[3]!
  const { from } = findGap(portfolio, unit)
  return { unit_id: unit.id, date_from: from, date_to: from, blocked: 1, reason: 'Boiler service' }
}

/** A calendar for the owner of a house, and two addresses of partners. */
async function connectPartners(scope: Scope, { units }: Portfolio, { vault, webhookUrl }: SeedServices) {
  const house = units.find(({ type }) => ['villa', 'house', 'chalet'].includes(type))!
  await createFeed(scope, vault, {
    unit_id: house.id,
    direction: 'export',
    name: 'For the owner of the house',
    maxFeeds: 1,
  })
  const connect = (url: string, description: string) =>
    createEndpoint(
      scope,
      vault,
      {
        account_id: null,
        url,
        description,
        event_types: ['booking.created', 'booking.cancelled'],
        status: 'active',
      },
      2,
    )
  const working = await connect(webhookUrl, 'Key boxes')
  const failing = await connect(`${webhookUrl}/ledger`, 'Bookkeeping')
  await insertDeliveries(scope, { working: working.id, failing: failing.id })
}

const stayNights = 4

/** The first nights in which a unit with one room is free. */
function findGap({ stays }: Portfolio, unit: SeededUnit): { from: string; to: string } {
  const taken = stays
    .filter(({ unit_id, status }) => unit_id === unit.id && status !== 'cancelled' && status !== 'no_show')
    .map(({ arrival, nights }) => ({ from: nightOf(arrival), to: nightOf(arrival) + nights }))
  for (let night = unit.today + 3; ; night++)
    if (taken.every(({ from, to }) => to <= night || from >= night + stayNights))
      return { from: dateOf(night), to: dateOf(night + stayNights) }
}
