import { sql } from 'kysely'
import { atomically, first, onceCommitted, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError, unknownReference } from '#errors.ts'
import { events } from '#events.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import { assertRepeats } from '#http/echoes.ts'
import { refuseStale, type Expected } from '#http/preconditions.ts'
import type { Listed, Stored } from '#http/replies.ts'
import { parseTraceparent } from '#telemetry.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { keepFiles, letGo } from './file-queries.ts'
import type { MediaPatch, Placed } from './media.ts'

const stored = sql`json, version`
const filterColumns = ['org_id', 'account_id', 'space_id', 'unit_id', 'content_type']

export const listMedia = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select m.id, m.json, ${sortColumn('m', page)}::text as sort_value from media m
      where m.org_id = ${scope.orgId}${filters('m', filter, filterColumns)}${pageClause('m', page)}`,
  )

export async function findMedia(scope: Scope, id: string): Promise<Stored> {
  const found = await first(
    scope,
    sql<Stored>`select ${stored} from media where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('media', id)
  return found
}

/** Where a file is to belong. */
export interface Place {
  readonly propertyId: string
  readonly unitId: string | null
}

export interface Kept {
  readonly place: Place
  readonly description: string | null
  readonly original: Placed
  readonly renditions: readonly (Placed & { readonly name: string })[]
}

/** @throws NotFound, Conflict, Invalid */
export async function findPlace(
  scope: Scope,
  { propertyId, unitId }: Place,
  purpose: 'reading' | 'writing' = 'writing',
): Promise<{ accountId: string }> {
  const [[space], [unit]] = await Promise.all([
    rows(
      scope,
      sql<{ account_id: string; status: string }>`select account_id, status from spaces
        where org_id = ${scope.orgId} and id = ${propertyId} and deleted_at is null`,
    ),
    unitId === null
      ? [undefined]
      : rows(
          scope,
          sql<{
            space_id: string
          }>`select space_id from units
            where org_id = ${scope.orgId} and id = ${unitId} and deleted_at is null`,
        ),
  ])
  if (!space) throw new NotFound('property', propertyId)
  if (space.status === 'archived' && purpose === 'writing')
    throw new Conflict('resource-archived', 'The property is archived: it gets no new media.')
  if (unitId !== null) {
    if (!unit) throw unknownReference('unit_id', 'unit')
    if (unit.space_id !== propertyId) throw semanticError('unit_id', 'The unit is in another property.')
  }
  return { accountId: space.account_id }
}

/** Keeps what was stored, behind what its place has already. @throws NotFound, Conflict, Invalid */
export const addMedia = (
  scope: Scope,
  { place, description, original, renditions }: Kept,
): Promise<Stored & { id: string }> =>
  atomically(scope, async (transaction) => {
    await lockPlace(transaction, place.propertyId)
    const { accountId } = await findPlace(transaction, place)
    const smaller = renditions.map(({ name, key, contentType, sizeBytes, width, height }) => ({
      name,
      url: `/media/${key}`,
      content_type: contentType,
      size_bytes: sizeBytes,
      width,
      height,
    }))
    const [row] = await rows(
      transaction,
      sql<
        Stored & { id: string }
      >`insert into media (org_id, account_id, space_id, unit_id, key, content_type,
          size_bytes, width, height, checksum, renditions, description, "position")
        select ${scope.orgId}, ${accountId}, ${place.propertyId}, ${place.unitId}::uuid, ${original.key},
          ${original.contentType}, ${original.sizeBytes}, ${original.width}, ${original.height}, ${original.checksum},
          ${JSON.stringify(smaller)}::jsonb, ${description}, count(*)::int
        from media m where ${sameRow(transaction, place)}
        returning id, ${stored}`,
    )
    await keepFiles(transaction, row!.id, [original.key, ...renditions.map(({ key }) => key)])
    await tellPms(transaction, place)
    const { orgId, traceparent } = transaction
    onceCommitted(transaction, () =>
      events.mediaStored({ orgId, mediaId: row!.id, traceId: parseTraceparent(traceparent)?.traceId }),
    )
    return row!
  })

const fixedMembers = [
  'account_id',
  'property_id',
  'unit_id',
  'content_type',
  'size_bytes',
  'width',
  'height',
  'checksum',
]

/** @throws NotFound, Stale, Malformed */
export const changeMedia = (
  scope: Scope,
  id: string,
  expected: Expected,
  patch: MediaPatch,
): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    const { place, ...current } = await lockMedia(transaction, id)
    refuseStale(expected, current.version)
    assertRepeats(patch, fixedMembers, JSON.parse(current.json) as object)
    const { position = current.position, description = current.description } = patch
    if (position === current.position && description === current.description) return current
    await rows(
      transaction,
      sql`update media set description = ${description}, version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id}`,
    )
    if (position !== current.position) await arrange(transaction, place, { id, position })
    await tellPms(transaction, place)
    return await findMedia(transaction, id)
  })

/** @throws NotFound, Stale */
export const removeMedia = (scope: Scope, id: string, expected: Expected): Promise<void> =>
  atomically(scope, async (transaction) => {
    const { place, version } = await lockMedia(transaction, id)
    refuseStale(expected, version)
    await letGo(transaction, id)
    await rows(transaction, sql`delete from media where org_id = ${scope.orgId} and id = ${id}`)
    await arrange(transaction, place, null)
    await tellPms(transaction, place)
  })

const sameRow = ({ orgId }: Transaction, { propertyId, unitId }: Place) =>
  sql`m.org_id = ${orgId} and m.space_id = ${propertyId} and m.unit_id is not distinct from ${unitId}::uuid`

/** Numbers a row of media from 0, with one of them moved to its place. */
const arrange = (transaction: Transaction, place: Place, moved: { id: string; position: number } | null) =>
  rows(
    transaction,
    sql`with others as (
        select m.id, row_number() over (order by m."position", m.created_at, m.id) - 1 as n, count(*) over () as total
        from media m where ${sameRow(transaction, place)} and m.id is distinct from ${moved?.id ?? null}::uuid),
      target as (select least(${moved?.position ?? null}::int, coalesce((select max(total) from others), 0)) as at),
      numbered as (
        select o.id, case when o.n >= t.at then o.n + 1 else o.n end as "position" from others o, target t
        union all select ${moved?.id ?? null}::uuid, t.at from target t)
      update media m set "position" = x."position", updated_at = now() from numbered x
      where m.org_id = ${transaction.orgId} and m.id = x.id and m."position" <> x."position"`,
  )

const tellPms = (transaction: Transaction, { propertyId, unitId }: Place) =>
  requestSync(transaction, unitId === null ? { spaceId: propertyId } : { unitId }, 'change')

/** One change of a property's media at a time: their order is decided among all of them. */
const lockPlace = (transaction: Transaction, propertyId: string) =>
  rows(
    transaction,
    sql`select 1 from spaces where org_id = ${transaction.orgId} and id = ${propertyId} for no key update`,
  )

/** The property first, then the record as it is once nobody else can change it. */
async function lockMedia(transaction: Transaction, id: string) {
  const { orgId } = transaction
  const [, [row]] = await Promise.all([
    rows(
      transaction,
      sql`select 1 from spaces where org_id = ${orgId} and id =
          (select space_id from media where org_id = ${orgId} and id = ${id}) for no key update`,
    ),
    rows(
      transaction,
      sql<
        Stored & { space_id: string; unit_id: string | null; position: number; description: string | null }
      >`select ${stored}, space_id, unit_id, "position", description from media
        where org_id = ${orgId} and id = ${id} for update`,
    ),
  ])
  if (!row) throw new NotFound('media', id)
  const { space_id: propertyId, unit_id: unitId, ...rest } = row
  return { ...rest, place: { propertyId, unitId } satisfies Place }
}
