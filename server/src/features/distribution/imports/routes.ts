import { Type } from 'typebox'
import type { StoredRecord } from '#db/records.ts'
import type { Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { Id, oneOf } from '#schema/fields.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { jsonText, listSchema, sendList } from '#http/replies.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { cancelImport, createImport, runImport } from './control-import.ts'
import { Import, ImportInput, ImportItem, importStatuses, itemActions, itemKinds } from './import.ts'
import { requestGoLive } from './go-live.ts'
import { findImport, getImport, listImports, listItems } from './queries.ts'

const params = Type.Object({ id: Id })

export const importRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    registerResource(app, cursorKeys, {
      path: '/imports',
      name: 'import',
      record: Import,
      query: {
        ...PageQuery,
        sort: sortable('created_at', 'updated_at'),
        channel_target_id: anyOf(Id),
        status: anyOf(oneOf(...importStatuses)),
      },
      input: ImportInput,
      list: listImports,
      find: findImport,
      create: createImport,
      documentation: {
        create: {
          summary: 'Plan an import from a PMS',
          description:
            'Reads the portfolio in the background. Then the items show what a run will create, match or skip.',
        },
      },
    })

    app.get(
      '/imports/:id/items',
      {
        schema: {
          ...listSchema('imports', 'import_items', ImportItem, {
            ...{ limit: PageQuery.limit, cursor: PageQuery.cursor },
            kind: anyOf(oneOf(...itemKinds)),
            action: anyOf(oneOf(...itemActions)),
          }),
          params,
        },
      },
      async (request, reply) => {
        const { scope, params, query } = request
        const page = pageRequest(request, cursorKeys, 'position')
        if (!(await getImport(scope, params.id))) throw new NotFound('import', params.id)
        const rows = await listItems(scope, params.id, query, page)
        return sendList(request, reply, 'import_items', page, rows, ({ json }) => json)
      },
    )

    const addStep = (
      name: 'run' | 'cancel' | 'live',
      documentation: { summary: string; description: string },
      step: (scope: Scope, id: string) => Promise<StoredRecord>,
    ) =>
      app.post(
        `/imports/:id/${name}`,
        {
          schema: {
            ...{ tags: ['imports'], ...documentation, params, acts: true },
            response: { 200: jsonText(Type.Object({ import: Import })) },
          },
        },
        (request, reply) =>
          replyIdempotently(request, reply, async (scope) => {
            const { json } = await step(scope, request.params.id)
            return { status: 200, body: `{"import":${json}}` }
          }),
      )
    addStep(
      'run',
      {
        summary: 'Run an import',
        description:
          'Makes what was planned, in the background; one that failed is continued. Listings are linked paused: nothing is pushed before they are resumed.',
      },
      runImport,
    )
    addStep(
      'cancel',
      { summary: 'Cancel an import', description: 'What it has made stays, and another import matches it.' },
      cancelImport,
    )
    addStep(
      'live',
      {
        summary: 'Go live with an import',
        description:
          'Resumes its paused listings in the background; `listings_paused` says how many are left. What will be pushed is shown before by the preflight of the channel target and the preview of each listing.',
      },
      requestGoLive,
    )
  }
