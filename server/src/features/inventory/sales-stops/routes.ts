import { Type } from 'typebox'
import { Id } from '#schema/fields.ts'
import { anyOf, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { jsonText } from '#http/replies.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { findSalesStop, listSalesStops, resumeSales, stopSales, findReach, previewReach } from './queries.ts'
import { SalesStop, SalesStopInput, SalesStopReach } from './sales-stop.ts'

const { updated_since: _, ...page } = PageQuery
const { reason: _reason, ...subject } = SalesStopInput.properties
const reachReply = jsonText(Type.Object({ reach: SalesStopReach }))

export const salesStopRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    registerResource(app, cursorKeys, {
      path: '/sales-stops',
      name: 'sales_stop',
      record: SalesStop,
      query: {
        ...page,
        sort: sortable('created_at'),
        account_id: anyOf(Id),
        space_id: anyOf(Id),
        unit_id: anyOf(Id),
        channel_target_id: anyOf(Id),
        lifted: Type.Optional(
          Type.Boolean({ description: 'true for lifted stops only, false for active stops only.' }),
        ),
      },
      input: SalesStopInput,
      list: listSalesStops,
      find: findSalesStop,
      create: stopSales,
      delete: resumeSales,
      documentation: {
        create: { summary: 'Stop sales at once' },
        delete: { summary: 'Resume sales' },
      },
    })

    app.get(
      '/sales-stops/preview',
      {
        schema: {
          tags: ['sales stops'],
          summary: 'What a stop would cover',
          description: 'Takes the same members as a stop; without any of them everything is covered.',
          querystring: Type.Object(subject),
          response: { 200: reachReply },
        },
      },
      async ({ scope, query }) => ({ reach: await previewReach(scope, query) }),
    )

    app.get(
      '/sales-stops/:id/reach',
      {
        schema: {
          tags: ['sales stops'],
          summary: 'How far a stop has reached the channels',
          description: 'After the stop is lifted, how far its end has reached them.',
          params: Type.Object({ id: Id }),
          response: { 200: reachReply },
        },
      },
      async ({ scope, params }) => ({ reach: await findReach(scope, params.id) }),
    )
  }
