import { isDeepStrictEqual } from 'node:util'
import type { Photo, RemoteUnit, UnitContent } from '#integrations/pms/pms.ts'

/** What the operator has decided for one listing, as it stands in the database when it is pushed. */
export interface DesiredFacts {
  readonly unit: Omit<UnitContent, 'open' | 'space' | 'photos'> & Status
  readonly space: Omit<UnitContent['space'], 'photos'> & Status
}

/** Photos by their paths with us, in order. */
interface Status {
  readonly status: string
  readonly photos: readonly Omit<Photo, 'position'>[]
}

/**
 * The wish in the words of the PMS port. Only an active unit of an active space is open for sale. Without an address
 * that photos can be fetched from, nothing is said of them.
 */
export function toUnitContent({ unit, space }: DesiredFacts, photosAt?: string): UnitContent {
  const { status, photos, ...facts } = unit
  const open = status === 'active' && space.status === 'active'
  return { ...facts, open, ...withPhotos(photos, photosAt), space: toSpaceContent(space, photosAt) }
}

/** The units of a space share what is said of it: they are pushed together. */
function toSpaceContent(space: DesiredFacts['space'], photosAt: string | undefined): UnitContent['space'] {
  const said = places.get(space)
  if (said && said.photosAt === photosAt) return said.place
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

/** Field by field, what the PMS has against what it must have; of a field in doubt nobody knows what it has. */
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

/** Who was never told of photos has none of ours. */
const neverSent = (name: string) => (name === 'photos' ? [] : undefined)

/** Most are words and numbers, and as they were. The database gives members back in an order of its own. */
const isSame = (one: unknown, other: unknown) => one === other || isDeepStrictEqual(one, other)

/** The content as a PMS shows it: what it does not hold counts as wanted. */
export const mergeShown = (content: UnitContent, shown: RemoteUnit['content']): UnitContent => ({
  ...content,
  ...shown,
  space: { ...content.space, ...shown.space },
})

/**
 * What differs from what the PMS shows; where it shows nothing, from what it took last: what it holds but does not show
 * must not pass for told.
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

/** The members to send for these changes; a space travels whole. */
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
