import { isDeepStrictEqual } from 'node:util'
import type { Photo, RemoteUnit, UnitContent } from '#integrations/pms/pms.ts'

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
  return { ...facts, open, ...withPhotos(photos, photosAt), space: toSpaceContent(space, photosAt) }
}

/** The units of a space share one object, because they are pushed together. */
function toSpaceContent(space: DesiredFacts['space'], photosAt: string | undefined): UnitContent['space'] {
  const built = places.get(space)
  if (built && built.photosAt === photosAt) return built.place
  const { status: _, photos, ...rest } = space
  const place = { ...rest, ...withPhotos(photos, photosAt) }
  places.set(space, { photosAt, place })
  return place
}
const places = new WeakMap<
  DesiredFacts['space'],
  { photosAt: string | undefined; place: UnitContent['space'] }
>()

const withPhotos = (photos: Status['photos'], photosAt: string | undefined) =>
  photosAt !== undefined && {
    photos: photos.map(({ url, description }, position) => ({ url: photosAt + url, position, description })),
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
  inDoubt: readonly string[] = [],
): Change[] {
  const found: Change[] = []
  const compare = (prefix: '' | 'space.', had: Members, wants: Members) => {
    for (const name in wants) {
      if (name === 'space') continue
      const same = isSame(name in had ? had[name] : neverSent(name), wants[name])
      if (same && (inDoubt.length === 0 || !isUnconfirmed(prefix + name, inDoubt))) continue
      found.push({ field: prefix + name, before: had[name] ?? null, after: wants[name] ?? null })
    }
  }
  compare('', members(before), members(after))
  compare('space.', members(before?.space), members(after.space))
  return found
}

type Members = Readonly<Record<string, unknown>>
const members = (part: object | null | undefined) => (part ?? {}) as Members

const isUnconfirmed = (field: string, inDoubt: readonly string[]) =>
  inDoubt.includes('*') || inDoubt.includes(field)

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
  inDoubt: readonly string[],
  shown: RemoteUnit['content'],
  wanted: UnitContent,
): Change[] {
  const seen = flatten(shown)
  const before = { ...accepted, ...shown, space: { ...accepted?.space, ...shown.space } } as UnitContent
  const doubted = inDoubt.includes('*') ? Object.keys(flatten(wanted)) : inDoubt
  return diffContent(
    before,
    wanted,
    doubted.filter((field) => !(field in seen)),
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
