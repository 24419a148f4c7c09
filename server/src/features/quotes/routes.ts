import { Id } from '#fields.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { created, creates, list, lists, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { makeQuote } from './make-quote.ts'
import { findQuote, listQuotes } from './queries.ts'
import { Quote, QuoteInput } from './quote.ts'

const tag = 'quotes'
const { updated_since: _, ...page } = PageQuery
const query = {
  ...page,
  sort: sortable('created_at'),
  account_id: anyOf(Id),
  unit_id: anyOf(Id),
  rate_plan_id: anyOf(Id),
  booking_id: anyOf({ ...Id, description: 'The quote whose price a booking has.' }),
}

export const quoteRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) => {
    app.get('/quotes', { schema: lists(tag, 'quotes', Quote, query) }, async (request, reply) => {
      const page = pageRequest(request, cursorKey)
      const rows = await listQuotes(request.scope, request.query, page)
      return list(request, reply, 'quotes', page, rows, ({ json }) => json)
    })

    app.get('/quotes/:id', { schema: shows(tag, 'quote', Quote) }, async (request, reply) =>
      show(request, reply, 'quote', await findQuote(request.scope, request.params.id)),
    )

    app.post(
      '/quotes',
      {
        schema: {
          ...creates(tag, 'quote', Quote, QuoteInput),
          summary: 'Price a stay',
          description:
            'From the calendar, with every charge explained. A stay that cannot be sold is refused with all reasons.',
        },
      },
      (request, reply) =>
        once(request, reply, async (scope) => {
          const quote = await makeQuote(scope, request.body)
          return created('quote', '/api/v1/quotes', quote.id, quote)
        }),
    )
  }
