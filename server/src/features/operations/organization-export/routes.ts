import { Type } from 'typebox'
import type { Scope } from '#db/scope.ts'
import { systemScope } from '#queue/periodic-task.ts'
import { Id, oneOf } from '#schema/fields.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { sendProblem } from '#http/problems.ts'
import { createdReply, jsonText } from '#http/replies.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import type { Storage } from '#integrations/storage/storage.ts'
import { openFile } from '#features/inventory/media/open-file.ts'
import type { DownloadTokens } from './download-tokens.ts'
import { Export, ExportDownload, exportStatuses, maxFileBytes } from './export.ts'
import { findExport, getCompletedExport, listExports } from './queries.ts'
import { createDownload, requestExport } from './request-export.ts'
import { keyOfExport } from './run-export.ts'

const tags = ['exports']

interface ExportRouteOptions {
  readonly cursorKeys: CursorKeys
  readonly tokens: DownloadTokens
  readonly publicUrl: string
}

export const exportRoutes =
  ({ cursorKeys, ...downloads }: ExportRouteOptions): Routes =>
  async (app) => {
    registerResource(app, cursorKeys, {
      path: '/exports',
      name: 'export',
      record: Export,
      query: {
        ...PageQuery,
        sort: sortable('created_at', 'updated_at'),
        status: anyOf(oneOf(...exportStatuses)),
      },
      list: listExports,
      find: findExport,
    })

    app.post(
      '/exports',
      {
        schema: {
          ...{ tags, summary: 'Export the organization' },
          description:
            'For owners. A job writes all records, with all data of guests, and media into one file, which is kept for 7 days. Secrets are left out.',
          response: { 201: jsonText(Type.Object({ export: Export })) },
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) => {
          const created = await requestExport(scope)
          return createdReply('export', '/api/v1/exports', created.id, created)
        }),
    )

    app.post(
      '/exports/:id/download',
      {
        schema: {
          ...{ tags, summary: 'Get an address to download an export', params: Type.Object({ id: Id }) },
          description: 'Anyone with the address may download the file until it expires.',
          response: { 200: jsonText(Type.Object({ download: ExportDownload })) },
        },
      },
      async ({ scope, params }, reply) => {
        const download = await createDownload(scope, downloads, params.id)
        return reply.header('cache-control', 'no-store').send({ download })
      },
    )
  }

/** The file, for anyone with its address. */
export const exportFileRoutes =
  (
    connections: Pick<Scope, 'database'>,
    storage: Storage,
    { tokens, publicUrl }: Omit<ExportRouteOptions, 'cursorKeys'>,
  ): Routes =>
  async (app) => {
    app.get(
      '/exports/:token.tar',
      {
        schema: {
          ...{ tags, summary: 'Download an export' },
          description: 'The address of a download.',
          params: Type.Object({ token: Type.String({ maxLength: 256, pattern: '^[^/]*$' }) }),
          produces: ['application/x-tar'],
          response: {
            200: Type.Unsafe<unknown>({ type: 'string', format: 'binary', maxLength: maxFileBytes }),
          },
        },
      },
      async (request, reply) => {
        const token = tokens.read(request.params.token)
        const scope = token && systemScope(connections, token.orgId)
        const found = scope && (await getCompletedExport(scope, token.exportId))
        const key = found && keyOfExport(token.orgId, { id: token.exportId, attempt: found.attempts })
        const file = key && (await openFile(storage, key, request.method))
        if (!file) {
          const detail = 'The address of the download has expired. Get another one.'
          return sendProblem(reply, request, publicUrl, { code: 'no-such-path', detail })
        }
        void reply.headers({
          'cache-control': 'private, no-store',
          'content-disposition': `attachment; filename="vacancy-export-${found.created_on}.tar"`,
        })
        return reply.type('application/x-tar').header('content-length', file.sizeBytes).send(file.content)
      },
    )
  }
