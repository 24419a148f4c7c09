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
import { cancelFileImport, remapFileImport, runFileImport } from './control-file-import.ts'
import {
  FileImport,
  FileImportPatch,
  FileImportRow,
  fileImportStatuses,
  importKinds,
  rowActions,
} from './file-import.ts'
import { findFileImport, getFileImport, listFileImports } from './queries.ts'
import { listRows } from './file-rows.ts'
import { uploadRoute } from './upload-route.ts'

const params = Type.Object({ id: Id })

export const fileImportRoutes =
  ({ cursorKeys, uploads }: { readonly cursorKeys: CursorKeys; readonly uploads: string }): Routes =>
  async (app) => {
    // The upload is a plugin of its own, so that only its route accepts files.
    await app.register(uploadRoute(uploads))

    registerResource(app, cursorKeys, {
      path: '/file-imports',
      name: 'file_import',
      record: FileImport,
      query: {
        ...PageQuery,
        sort: sortable('created_at', 'updated_at'),
        account_id: anyOf(Id),
        kind: anyOf(oneOf(...importKinds)),
        status: anyOf(oneOf(...fileImportStatuses)),
      },
      patch: FileImportPatch,
      list: listFileImports,
      find: findFileImport,
      update: remapFileImport,
      documentation: {
        update: {
          summary: 'Change the columns of a file import',
          description: 'The rows are planned again. An import that was run cannot be changed.',
        },
      },
    })

    app.get(
      '/file-imports/:id/rows',
      {
        schema: {
          ...listSchema('file imports', 'file_import_rows', FileImportRow, {
            ...{ limit: PageQuery.limit, cursor: PageQuery.cursor },
            action: anyOf(oneOf(...rowActions)),
          }),
          params,
        },
      },
      async (request, reply) => {
        const { scope, params, query } = request
        const page = pageRequest(request, cursorKeys, 'position')
        if (!(await getFileImport(scope, params.id))) throw new NotFound('file import', params.id)
        const found = await listRows(scope, params.id, query, page)
        return sendList(request, reply, 'file_import_rows', page, found, ({ json }) => json)
      },
    )

    const addStep = (
      name: 'run' | 'cancel',
      documentation: { summary: string; description: string },
      step: (scope: Scope, id: string) => Promise<StoredRecord>,
    ) =>
      app.post(
        `/file-imports/:id/${name}`,
        {
          schema: {
            ...{ tags: ['file imports'], ...documentation, params, acts: true },
            response: { 200: jsonText(Type.Object({ file_import: FileImport })) },
          },
        },
        (request, reply) =>
          replyIdempotently(request, reply, async (scope) => {
            const { json } = await step(scope, request.params.id)
            return { status: 200, body: `{"file_import":${json}}` }
          }),
      )
    addStep(
      'run',
      {
        summary: 'Run a file import',
        description:
          'Makes what was planned, in the background; rows with errors are left out. Rates of linked units are pushed, and guests of bookings are not notified.',
      },
      runFileImport,
    )
    addStep(
      'cancel',
      { summary: 'Cancel a file import', description: 'What it has made stays.' },
      cancelFileImport,
    )
  }
