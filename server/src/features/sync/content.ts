import type { Photo, Shown, UnitContent } from '#outside/pms/pms.ts'

/** What the operator has decided for one listing, as it stands in the database when it is pushed. */
export interface Wanted {
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
export function contentOf({ unit, space }: Wanted, photosAt?: string): UnitContent {
  const { status: unitStatus, photos: ofUnit, ...facts } = unit
  const { status: spaceStatus, photos: ofSpace, ...place } = space
  const shown = (photos: Status['photos']) =>
    photosAt !== undefined && {
      photos: photos.map(({ url, description }, position) => ({
        url: photosAt + url,
        position,
        description,
      })),
    }
  const open = unitStatus === 'active' && spaceStatus === 'active'
  return { ...facts, open, ...shown(ofUnit), space: { ...place, ...shown(ofSpace) } }
}

export interface Change {
  field: string
  before: unknown
  after: unknown
}

/** Field by field, what the PMS has against what it must have; of a field in doubt nobody knows what it has. */
export function changesBetween(
  before: UnitContent | null,
  after: UnitContent,
  inDoubt: readonly string[] = [],
): Change[] {
  const had = flat(before)
  const wants = flat(after)
  const isInDoubt = (field: string) => inDoubt.includes('*') || inDoubt.includes(field)
  return Object.keys(wants)
    .filter((field) => isInDoubt(field) || !isSame(field in had ? had[field] : untold(field), wants[field]))
    .map((field) => ({ field, before: had[field] ?? null, after: wants[field] ?? null }))
}

/** Who was never told of photos has none of ours. */
const untold = (field: string) => (field === 'photos' || field === 'space.photos' ? [] : undefined)

/** Most are words and numbers, and as they were. */
const isSame = (one: unknown, other: unknown) =>
  one === other || (isObject(one) && isObject(other) && words(one) === words(other))

const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** The database gives members back in an order of its own. */
const words = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )

/** The content as a PMS shows it: what it does not hold counts as wanted. */
export const asShown = (content: UnitContent, shown: Shown['content']): UnitContent => ({
  ...content,
  ...shown,
  space: { ...content.space, ...shown.space },
})

/**
 * What differs from what the PMS shows; where it shows nothing, from what it took last: what it holds but does not show
 * must not pass for told.
 */
export function changesFromShown(
  { accepted, in_doubt }: { accepted: UnitContent | null; in_doubt: readonly string[] },
  shown: Shown['content'],
  wanted: UnitContent,
): Change[] {
  const seen = flat(shown)
  const before = { ...accepted, ...shown, space: { ...accepted?.space, ...shown.space } } as UnitContent
  const doubted = in_doubt.includes('*') ? Object.keys(flat(wanted)) : in_doubt
  return changesBetween(
    before,
    wanted,
    doubted.filter((field) => !(field in seen)),
  )
}

/** The members to send for these changes; a space travels whole. */
export const membersOf = (changes: readonly Change[]) => [
  ...new Set(changes.map(({ field }) => field.split('.')[0] as keyof UnitContent)),
]

function flat(content: UnitContent | Shown['content'] | null): Record<string, unknown> {
  if (!content) return {}
  const { space, ...rest } = content
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(space ?? {}).map(([key, value]) => [`space.${key}`, value])),
  }
}
