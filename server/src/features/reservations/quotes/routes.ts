import { Id } from '#schema/fields.ts'
import { anyOf, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { createQuote, findQuote, listQuotes } from './create-quote.ts'
import { Quote, QuoteInput } from './quote.ts'

const { updated_since: _, ...page } = PageQuery

export const quoteRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) =>
    registerResource(app, cursorKeys, {
      path: '/quotes',
      name: 'quote',
      record: Quote,
      query: {
        ...page,
        sort: sortable('created_at'),
        account_id: anyOf(Id),
        unit_id: anyOf(Id),
        rate_plan_id: anyOf(Id),
        booking_id: anyOf({ ...Id, description: 'The quote whose price a booking has.' }),
      },
      input: QuoteInput,
      list: listQuotes,
      find: findQuote,
      create: createQuote,
      documentation: {
        create: {
          summary: 'Create a quote',
          description:
            'Calculated from the calendar, with an explanation of every charge. A stay that cannot be sold is refused with all reasons.',
        },
      },
    })
