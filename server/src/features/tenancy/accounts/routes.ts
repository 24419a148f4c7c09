import { Type } from 'typebox'
import { Id, oneOf, text, timestampFields } from '#schema/fields.ts'
import { anyOf, PageQuery, sortable } from '#http/paging.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { findAccount, listAccounts } from './queries.ts'

const accountTypes = ['operator', 'owner', 'agency', 'sandbox'] as const

/** A part of an organization: its own business, an owner whose units it manages, or an agency. */
const Account = Type.Object(
  { id: Id, org_id: Id, name: text(255), type: oneOf(...accountTypes), ...timestampFields },
  { title: 'Account' },
)

export const accountRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) =>
    registerResource(app, cursorKey, {
      path: '/accounts',
      name: 'account',
      record: Account,
      query: {
        ...PageQuery,
        sort: sortable('created_at', 'updated_at', 'name'),
        q: Type.Optional(text(255)),
        type: anyOf(oneOf(...accountTypes)),
      },
      list: listAccounts,
      find: findAccount,
    })
