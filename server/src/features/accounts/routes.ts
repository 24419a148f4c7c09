import { Type } from 'typebox'
import { oneOf, text } from '#fields.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { list, lists, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { Account, accountTypes } from './account.ts'
import { findAccount, listAccounts } from './queries.ts'

const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'name'),
  q: Type.Optional(text(255)),
  type: anyOf(oneOf(...accountTypes)),
}

export const accountRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) => {
    app.get(
      '/accounts',
      { schema: lists('accounts', 'accounts', Account, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const rows = await listAccounts(request.scope, request.query, page)
        return list(request, reply, 'accounts', page, rows, ({ json }) => json)
      },
    )

    app.get('/accounts/:id', { schema: shows('accounts', 'account', Account) }, async (request, reply) =>
      show(request, reply, 'account', await findAccount(request.scope, request.params.id)),
    )
  }
