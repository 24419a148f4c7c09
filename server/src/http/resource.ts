import { Type, type Static, type TObject, type TSchema } from 'typebox'
import type { PageRequest } from '#db/paging.ts'
import type { ExpectedVersion, ListedRecord, StoredRecord } from '#db/records.ts'
import type { Scope } from '#db/scope.ts'
import { assertSameIdentity, withoutReadOnlyFields } from '#schema/fields.ts'
import { replyIdempotently } from './idempotency.ts'
import { pageRequest, type CursorKeys } from './paging.ts'
import {
  createdReply,
  createSchema,
  deleteSchema,
  getSchema,
  listSchema,
  pauseSchema,
  resumeSchema,
  sendList,
  sendRecord,
  updateSchema,
} from './replies.ts'
import type { Routes } from './routes.ts'

interface Documentation {
  readonly summary: string
  readonly description?: string
}

type WithoutReadOnlyFields<Body> = ReturnType<typeof withoutReadOnlyFields<Body & object>>

/** A record with its routes. `create`, `replace`, `update`, `delete` and `pause` have a route only when they are given. */
interface Resource<Query extends Record<string, TSchema>, Input extends TSchema, Patch extends TSchema> {
  /** The path of the list, such as `/rate-plans`. */
  readonly path: `/${string}`
  /** The member of a response that has one record, such as `rate_plan`. */
  readonly name: string
  /** The section of the documentation; the words of the path by default. */
  readonly tag?: string
  readonly record: TSchema
  readonly query: Query
  readonly defaultSort?: string
  readonly input?: Input
  readonly patch?: Patch
  readonly list: (scope: Scope, query: Static<TObject<Query>>, page: PageRequest) => Promise<ListedRecord[]>
  readonly find: (scope: Scope, id: string) => Promise<StoredRecord>
  readonly create?: (scope: Scope, input: Static<Input>) => Promise<StoredRecord & { id: string }>
  readonly replace?: (
    scope: Scope,
    id: string,
    expected: ExpectedVersion,
    input: Static<Input>,
  ) => Promise<StoredRecord>
  readonly update?: (
    scope: Scope,
    id: string,
    expected: ExpectedVersion,
    patch: WithoutReadOnlyFields<Static<Patch>>,
  ) => Promise<StoredRecord>
  readonly delete?: (scope: Scope, id: string, expected: ExpectedVersion) => Promise<void>
  /** Stops its pushes, and goes on with them. */
  readonly pause?: {
    readonly begin: (scope: Scope, id: string) => Promise<StoredRecord>
    readonly end: (scope: Scope, id: string) => Promise<void>
  }
  /** The JSON of a record as callers see it; as it is stored by default. */
  readonly format?: (json: string) => string
  /** Where the summary of a route is not the usual one. */
  readonly documentation?: Partial<Record<'create' | 'update' | 'delete', Documentation>>
}

/**
 * Registers the routes of a record: list, read, create, replace, update, delete, pause. All of them treat pages, ETags,
 * `Idempotency-Key`, `If-Match` and read-only fields in the same way.
 */
export function registerResource<
  Query extends Record<string, TSchema>,
  Input extends TSchema = TSchema,
  Patch extends TSchema = TSchema,
>(app: Parameters<Routes>[0], cursorKeys: CursorKeys, resource: Resource<Query, Input, Patch>): void {
  const { path, name, record, defaultSort, format = (json: string) => json, documentation = {} } = resource
  const listName = path.slice(1).replaceAll('-', '_')
  const { tag = listName.replaceAll('_', ' ') } = resource
  const formatted = ({ json, version }: StoredRecord) => ({ json: format(json), version })
  const { list, find, create, replace, update, delete: remove, pause } = resource
  const query: Record<string, TSchema> = resource.query
  const input: TSchema = resource.input ?? Type.Unknown()
  const patch: TSchema = resource.patch ?? Type.Unknown()
  const recordPath = `${path}/:id`

  app.get(path, { schema: listSchema(tag, listName, record, query) }, async (request, reply) => {
    const page = pageRequest(request, cursorKeys, defaultSort)
    const rows = await list(quickly(request.scope), request.query as Static<TObject<Query>>, page)
    return sendList(request, reply, listName, page, rows, ({ json }) => format(json))
  })

  app.get(recordPath, { schema: getSchema(tag, name, record) }, async (request, reply) =>
    sendRecord(request, reply, name, formatted(await find(quickly(request.scope), request.params.id))),
  )

  if (create)
    app.post(
      path,
      { schema: { ...createSchema(tag, name, record, input), ...documentation.create } },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) => {
          const body = request.body as Static<Input> & object
          assertSameIdentity(scope, body)
          const created = await create(scope, body)
          return createdReply(name, `/api/v1${path}`, created.id, formatted(created))
        }),
    )

  if (replace)
    app.put(recordPath, { schema: updateSchema(tag, name, record, input) }, async (request, reply) => {
      const { scope, params, headers } = request
      const body = request.body as Static<Input> & object
      assertSameIdentity(scope, body, params.id)
      const replaced = await replace(scope, params.id, headers['if-match'], body)
      return sendRecord(request, reply, name, formatted(replaced))
    })

  if (update)
    app.patch(
      recordPath,
      {
        schema: {
          ...updateSchema(tag, name, record, patch, `Update a ${name.replaceAll('_', ' ')}`),
          ...documentation.update,
        },
      },
      async (request, reply) => {
        const { scope, params, headers } = request
        const body = request.body as Static<Patch> & object
        assertSameIdentity(scope, body, params.id)
        const updated = await update(scope, params.id, headers['if-match'], withoutReadOnlyFields(body))
        return sendRecord(request, reply, name, formatted(updated))
      },
    )

  if (remove)
    app.delete(
      recordPath,
      { schema: { ...deleteSchema(tag, name), ...documentation.delete } },
      async (request, reply) => {
        await remove(request.scope, request.params.id, request.headers['if-match'])
        return reply.code(204).send()
      },
    )

  if (pause) {
    const pausePath = `${recordPath}/pause`
    app.post(pausePath, { schema: pauseSchema(tag, name, record) }, (request, reply) =>
      replyIdempotently(request, reply, async (scope) => {
        const { json } = await pause.begin(scope, request.params.id)
        return { status: 201, body: `{"${name}":${json}}` }
      }),
    )
    app.delete(pausePath, { schema: resumeSchema(tag, name) }, async ({ scope, params }, reply) => {
      await pause.end(scope, params.id)
      return reply.code(204).send()
    })
  }
}

/** A record and a page are read by keys and indexes. */
const quickly = (scope: Scope): Scope => ({ ...scope, sharesConnection: true })
