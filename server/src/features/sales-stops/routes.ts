import { Type } from 'typebox'
import { Id } from '#fields.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { created, creates, list, lists, removes, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { findSalesStop, listSalesStops, resumeSales, stopSales } from './queries.ts'
import { SalesStop, SalesStopInput } from './sales-stop.ts'

const tag = 'sales stops'
const { updated_since: _, ...page } = PageQuery
const query = {
  ...page,
  sort: sortable('created_at'),
  account_id: anyOf(Id),
  space_id: anyOf(Id),
  unit_id: anyOf(Id),
  channel_target_id: anyOf(Id),
  lifted: Type.Optional(Type.Boolean({ description: 'Only those that are lifted, or that still hold.' })),
}

export const salesStopRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) => {
    app.get(
      '/sales-stops',
      { schema: lists(tag, 'sales_stops', SalesStop, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const rows = await listSalesStops(request.scope, request.query, page)
        return list(request, reply, 'sales_stops', page, rows, ({ json }) => json)
      },
    )

    app.get('/sales-stops/:id', { schema: shows(tag, 'sales_stop', SalesStop) }, async (request, reply) =>
      show(request, reply, 'sales_stop', await findSalesStop(request.scope, request.params.id)),
    )

    app.post(
      '/sales-stops',
      {
        schema: {
          ...creates(tag, 'sales_stop', SalesStop, SalesStopInput),
          summary: 'Stop sales at once',
        },
      },
      (request, reply) =>
        once(request, reply, async (scope) => {
          const stop = await stopSales(scope, request.body)
          return created('sales_stop', '/api/v1/sales-stops', stop.id, stop)
        }),
    )

    app.delete(
      '/sales-stops/:id',
      { schema: { ...removes(tag, 'sales_stop'), summary: 'Take sales up again, as the calendar says' } },
      async (request, reply) => {
        await resumeSales(request.scope, request.params.id, request.headers['if-match'])
        return reply.code(204).send()
      },
    )
  }
