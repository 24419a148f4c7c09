import { isDeepStrictEqual } from 'node:util'
import type { RemoteUnit } from '#integrations/pms/pms.ts'
import { plainText, plainTexts, type Photo, type UnitContent } from '#integrations/pms/pms-content.ts'
import { dateOf, dayIn, nightOf } from '#schema/nights.ts'
import type { Provider } from '#integrations/pms/pms-provider.ts'
import {
  applyRuns,
  forgetFirst,
  nightsTo,
  truncateGrid,
  nightsAhead,
  diffGrids,
  fromCell,
  emptyGrid,
  type CalendarGrid,
} from './calendar-grid.ts'

/** The values of one listing in the database when it is pushed. */
export interface DesiredFacts {
  readonly unit: Omit<UnitContent, 'open' | 'space' | 'photos'> & Status
  readonly space: Omit<UnitContent['space'], 'photos'> & Status
}

/** Photos by their paths in our API, in order. */
interface Status {
  readonly status: string
  readonly photos: readonly Omit<Photo, 'position'>[]
}

/**
 * The desired content in the format of the PMS port. Only an active unit of an active space is open for sale. Without
 * a public URL for photos they are left out.
 */
export function toUnitContent({ unit, space }: DesiredFacts, photosAt?: string): UnitContent {
  const { status, photos, ...facts } = unit
  const open = status === 'active' && space.status === 'active'
  const name = facts.name.trim()
  return { ...facts, name, open, ...withPhotos(photos, photosAt), space: toSpaceContent(space, photosAt) }
}

/** The units of a space share one object, because they are pushed together. */
function toSpaceContent(space: DesiredFacts['space'], photosAt: string | undefined): UnitContent['space'] {
  const built = places.get(space)
  if (built && built.photosAt === photosAt) return built.place
  const { status: _, photos, ...rest } = space
  const place = { ...rest, name: rest.name.trim(), ...plainTexts(rest), ...withPhotos(photos, photosAt) }
  places.set(space, { photosAt, place })
  return place
}
const places = new WeakMap<
  DesiredFacts['space'],
  { photosAt: string | undefined; place: UnitContent['space'] }
>()

const withPhotos = (photos: Status['photos'], photosAt: string | undefined) =>
  photosAt !== undefined && {
    photos: photos.map(({ url, description }, position) => ({
      url: photosAt + url,
      position,
      description: plainText(description),
    })),
  }

export interface Change {
  field: string
  before: unknown
  after: unknown
}

/** The fields that differ between what the PMS has and what it must have. An unconfirmed field always differs. */
export function diffContent(
  before: UnitContent | null,
  after: UnitContent,
  unconfirmed: readonly string[] = [],
): Change[] {
  const found: Change[] = []
  const compare = (prefix: '' | 'space.', known: Members, desired: Members) => {
    for (const name in desired) {
      if (name === 'space') continue
      const same = isSame(name in known ? known[name] : neverSent(name), desired[name])
      if (same && (unconfirmed.length === 0 || !isUnconfirmed(prefix + name, unconfirmed))) continue
      found.push({ field: prefix + name, before: known[name] ?? null, after: desired[name] ?? null })
    }
  }
  compare('', members(before), members(after))
  compare('space.', members(before?.space), members(after.space))
  return found
}

type Members = Readonly<Record<string, unknown>>
const members = (part: object | null | undefined) => (part ?? {}) as Members

const isUnconfirmed = (field: string, unconfirmed: readonly string[]) =>
  unconfirmed.includes('*') || unconfirmed.includes(field)

/** Photos that were never sent count as an empty list. */
const neverSent = (name: string) => (name === 'photos' ? [] : undefined)

/** Most values are primitive and unchanged. PostgreSQL returns the members of objects in its own order. */
const isSame = (one: unknown, other: unknown) => one === other || isDeepStrictEqual(one, other)

/** The content as the PMS shows it; fields that it does not hold count as desired. */
export const mergeShown = (content: UnitContent, shown: RemoteUnit['content']): UnitContent => ({
  ...content,
  ...shown,
  space: { ...content.space, ...shown.space },
})

/**
 * The differences from what the PMS shows. A field that the PMS holds but does not show is compared with what it
 * accepted last, so that it does not count as sent.
 */
export function diffFromShown(
  accepted: UnitContent | null,
  unconfirmed: readonly string[],
  shown: RemoteUnit['content'],
  desired: UnitContent,
): Change[] {
  const seen = flatten(shown)
  const before = { ...accepted, ...shown, space: { ...accepted?.space, ...shown.space } } as UnitContent
  const stillUnconfirmed = unconfirmed.includes('*') ? Object.keys(flatten(desired)) : unconfirmed
  return diffContent(
    before,
    desired,
    stillUnconfirmed.filter((field) => !(field in seen)),
  )
}

/** The members to send for these changes; a space is sent as a whole. */
export const changedMembers = (changes: readonly Change[]) => [
  ...new Set(changes.map(({ field }) => field.split('.')[0] as keyof UnitContent)),
]

function flatten(content: UnitContent | RemoteUnit['content'] | null): Record<string, unknown> {
  if (!content) return {}
  const { space, ...rest } = content
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(space ?? {}).map(([key, value]) => [`space.${key}`, value])),
  }
}

/** A difference between what the PMS shows and what is desired. A difference of the content has no nights. */
export interface Difference {
  field: string
  rate_plan_id: string | null
  date_from: string | null
  date_to: string | null
  desired: unknown
  read_back: unknown
}

/** What is compared: the desired unit, and what the PMS is known to have accepted. */
interface Comparison {
  readonly claim: { readonly accepted: string | null }
  readonly unit: { readonly space: { readonly timezone: string } }
  readonly content: UnitContent
  readonly desired: CalendarGrid
  readonly known: CalendarGrid
}

/** What the PMS shows; null where it shows nothing. Nights after the end of its calendar are as in `later`. */
export function shownGrid(desired: CalendarGrid, seen: RemoteUnit, later?: CalendarGrid): CalendarGrid {
  const { first, rooms } = desired
  const values = forgetFirst(later ?? emptyGrid(first, rooms.length), nightsTo(desired, seen.lastNight))
  applyRuns(values, { rooms: [...seen.rooms], rates: [...seen.rates] })
  return values
}

/** The maximum number of nights that come into range between two daily read-backs. */
const horizonSlack = 2

/**
 * The desired values of the nights that the PMS has received. At local midnight a night comes into range that the
 * next daily read-back sends; until then it is expected to be missing at the PMS, and is no drift.
 */
function sentNights({ claim, unit, desired, known }: Comparison): CalendarGrid {
  const { first, rooms } = desired
  const isUnsent = (at: number) =>
    (known.rooms[at] ?? null) === null &&
    [...known.plans.values()].every((terms) => Object.values(terms).every((column) => column[at] === null))
  let end = rooms.length
  if (end === 0 || claim.accepted === null || !isUnsent(end - 1)) return desired
  const firstNewNight = nightOf(dayIn(unit.space.timezone)) + nightsAhead - horizonSlack
  while (end > 0 && first + end - 1 >= firstNewNight && isUnsent(end - 1)) end--
  return truncateGrid(desired, end)
}

/** The differences by field and range, limited to what the provider supports. */
export function findDifferences(push: Comparison, seen: RemoteUnit | null, provider: Provider): Difference[] {
  const { content } = push
  if (!seen) return [{ field: 'unit', ...noNights, desired: content.name, read_back: null }]
  const found: Difference[] = diffContent(mergeShown(content, seen.content), content)
    .map(({ field, before, after }) => ({ field, desired: after, read_back: before }))
    .map((one) => ({ ...one, ...noNights }))
  const desired = truncateGrid(sentNights(push), nightsTo(push.desired, seen.lastNight))
  const shown = shownGrid(desired, seen)
  const { rooms, rates } = diffGrids(shown, desired, provider.terms, false)
  for (const { date_from, date_to } of splitRuns(rooms, shown.rooms, desired.first))
    found.push({
      field: 'available',
      rate_plan_id: null,
      date_from,
      date_to,
      desired: at(desired.rooms, desired.first, date_from),
      read_back: at(shown.rooms, desired.first, date_from),
    })
  for (const run of rates)
    for (const term of provider.terms) {
      if (run[term] === undefined) continue
      const column = shown.plans.get(run.plan)?.[term] ?? []
      for (const { date_from, date_to } of splitRuns([run], column, desired.first)) {
        const value = at(column, desired.first, date_from)
        found.push({
          field: term,
          rate_plan_id: run.plan,
          date_from,
          date_to,
          desired: run[term],
          read_back: value === null ? null : fromCell(term, value),
        })
      }
    }
  return found
}

const noNights = { rate_plan_id: null, date_from: null, date_to: null }

const at = (column: readonly (number | null)[], first: number, date: string) =>
  column[nightOf(date) - first] ?? null

/** Splits the runs where the shown value changes. */
function* splitRuns(
  runs: readonly { date_from: string; date_to: string }[],
  shown: readonly (number | null)[],
  first: number,
): Generator<{ date_from: string; date_to: string }> {
  for (const { date_from, date_to } of runs) {
    const end = nightOf(date_to) - first
    for (let from = nightOf(date_from) - first; from <= end;) {
      let to = from
      while (to < end && (shown[to + 1] ?? null) === (shown[from] ?? null)) to++
      yield { date_from: dateOf(first + from), date_to: dateOf(first + to) }
      from = to + 1
    }
  }
}
