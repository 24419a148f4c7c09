import { createHmac, hash, timingSafeEqual, type KeyObject } from 'node:crypto'
import { Type, type TSchema } from 'typebox'
import type { PageRequest } from '#db/paging.ts'
import { BadRequest } from '#errors.ts'
import { Id, Timestamp } from '#schema/fields.ts'

/** Query parameters and cursors of lists; `db/paging.ts` reads the page. */

/** The first signs and all verify, so that keys can be rotated while clients read pages. */
export type CursorKeys = readonly [KeyObject, ...KeyObject[]]

/** Cursors are opaque to clients. */
export const cursorFormat = { maxLength: 1024, pattern: '^[\\w-]+$' }

/** A filter by equality, which can be repeated for any of several values. A comma is part of a value. */
export function anyOf<T extends TSchema>(value: T) {
  const { description, ...items } = value as T & { description?: string }
  return Type.Optional(
    Type.Array(items as unknown as T, {
      minItems: 1,
      maxItems: 100,
      description: `${description ? `${description} ` : ''}Repeat it for several values.`,
    }),
  )
}

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      format: 'int32',
      description: 'Records per page; 50 by default.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      ...cursorFormat,
      minLength: 1,
      description: '`next_cursor` of the previous page.',
    }),
  ),
  org_id: anyOf(Id),
  updated_since: Type.Optional(Timestamp),
}

export const sortable = <const T extends string[]>(...fields: T) =>
  Type.Optional(
    Type.Unsafe<T[number] | `-${T[number]}`>({
      type: 'string',
      enum: fields.flatMap((field) => [field, `-${field}`]),
      description: 'Field to sort by, descending with a leading minus.',
    }),
  )

/** Reads limit, sort and cursor. A cursor is valid only for the organization, path, sort and filters it was made for. */
export function pageRequest(
  request: {
    query: { limit?: number; cursor?: string; sort?: string }
    params?: unknown
    scope: { orgId: string }
    routeOptions: { url?: string | undefined }
  },
  keys: CursorKeys,
  defaultSort = 'created_at',
): PageRequest {
  const { limit = 50, cursor, sort = defaultSort, ...filterValues } = request.query
  // The order of values does not change a filter. The ids in the path are filters, too.
  const filters = Object.entries({ ...filterValues, ...(request.params as object) }).map(
    ([name, value]: [string, unknown]) => {
      const values = [value].flat()
      return [name, values.length === 1 ? values[0] : values.sort()]
    },
  )
  // Computed only for a cursor that is read or built: most lists fit on one page.
  // A cursor from before migrations 101 and 102 would skip records, as names were in another order.
  const order = sort.replace(/(name|space)$/, '$1_order')
  const context = () =>
    hash(
      'sha256',
      JSON.stringify([request.scope.orgId, request.routeOptions.url, order, filters.sort()]),
      'buffer',
    )
  const cursorAt = (value: string, id: string) => {
    const payload = Buffer.from(JSON.stringify([value, id]))
    return Buffer.concat([sign(payload, context(), keys[0]), payload]).toString('base64url')
  }
  return { limit, sort, after: cursor === undefined ? null : openCursor(cursor, context(), keys), cursorAt }
}

const signatureBytes = 16
const sign = (payload: Buffer, context: Buffer, key: KeyObject) =>
  createHmac('sha256', key).update(context).update(payload).digest().subarray(0, signatureBytes)

function openCursor(cursor: string, context: Buffer, keys: CursorKeys): { value: string; id: string } {
  const bytes = Buffer.from(cursor, 'base64url')
  const payload = bytes.subarray(signatureBytes)
  if (
    bytes.length <= signatureBytes ||
    !keys.some((key) => timingSafeEqual(bytes.subarray(0, signatureBytes), sign(payload, context, key)))
  )
    throw new BadRequest(
      'invalid-cursor',
      'The cursor does not belong to this list with these filters and this sort.',
    )
  const [value, id] = JSON.parse(payload.toString()) as [string, string]
  return { value, id }
}
