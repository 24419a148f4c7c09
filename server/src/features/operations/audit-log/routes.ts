import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { Id, Timestamp, oneOf, text } from '#schema/fields.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { listSchema, sendList } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { AuditLogEntry, auditedKinds } from './audit-log.ts'
import { exportAuditLog, listAuditLog } from './read-audit-log.ts'

const filters = {
  q: Type.Optional(text(100, 'Text in the name of the record or of the actor.')),
  actor_id: anyOf(text(255)),
  kind: anyOf(oneOf(...auditedKinds)),
  record_id: anyOf(Id),
  action: anyOf(text(64)),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
}
const { limit, cursor } = PageQuery

export const auditLogRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    app.get(
      '/audit',
      {
        schema: {
          ...listSchema('audit', 'audit_entries', AuditLogEntry, {
            ...{ limit, cursor, sort: sortable('created_at') },
            ...filters,
          }),
          summary: 'Who changed what',
          description:
            'Every change of a record that people set up, of bookings and of the calendar, with the values before and after. Pushes are in `GET /api/v1/sync/audit`.',
        },
      },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys, '-created_at')
        const found = await listAuditLog(request.scope, request.query, page)
        return sendList(request, reply, 'audit_entries', page, found, ({ json }) => json)
      },
    )

    app.get(
      '/audit.csv',
      {
        schema: {
          tags: ['audit'],
          summary: 'Export the audit log as CSV',
          description: 'All entries that match the filters of the list: one line for each changed field.',
          querystring: Type.Object(filters),
          produces: ['text/csv'],
          response: { 200: Type.Unsafe<unknown>(text(2_147_483_647)) },
        },
      },
      async ({ scope, query }, reply) => {
        void reply.header('content-disposition', 'attachment; filename="audit.csv"')
        return reply.type('text/csv; charset=utf-8').send(Readable.from(exportAuditLog(scope, query)))
      },
    )
  }
