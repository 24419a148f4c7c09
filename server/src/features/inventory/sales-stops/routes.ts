import { Type } from 'typebox'
import { Id } from '#schema/fields.ts'
import { anyOf, PageQuery, sortable } from '#http/paging.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { findSalesStop, listSalesStops, resumeSales, stopSales } from './queries.ts'
import { SalesStop, SalesStopInput } from './sales-stop.ts'

const { updated_since: _, ...page } = PageQuery

export const salesStopRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) =>
    registerResource(app, cursorKey, {
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
