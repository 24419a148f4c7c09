import { Type } from 'typebox'
import { text, Id, oneOf, timestampFields, Timestamp, nullable } from '#schema/fields.ts'
import { pageRequest, PageQuery, sortable, anyOf, type CursorKeys } from '#http/paging.ts'
import { sendList, listSchema, sendRecord, getSchema } from '#http/replies.ts'
import { withMembers } from '#db/records.ts'
import type { Caller, Routes } from '#http/routes.ts'
import { Organization } from './organization.ts'
import { findOrganization, listOrganizations, findAccount, listAccounts, listMembers } from './queries.ts'
import { registerResource } from '#http/resource.ts'
import { roles } from '#http/permissions.ts'

const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'name'),
  q: Type.Optional(text(255)),
}

export const organizationRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    app.get(
      '/organizations',
      { schema: listSchema('organizations', 'organizations', Organization, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys)
        const { org_id, q, updated_since } = request.query
        const ids = request.caller.memberOf.filter((id) => org_id?.includes(id) ?? true)
        const rows = await listOrganizations(request.scope, ids, { q, updated_since }, page)
        return sendList(request, reply, 'organizations', page, rows, (row) => formatFor(request.caller, row))
      },
    )

    app.get(
      '/organizations/:id',
      { schema: getSchema('organizations', 'organization', Organization) },
      async (request, reply) => {
        const { caller, params, scope } = request
        const { json, version } = await findOrganization(scope, caller.memberOf, params.id)
        return sendRecord(request, reply, 'organization', {
          json: formatFor(caller, { id: params.id, json }),
          version,
        })
      },
    )
  }

/** The settings contain the e-mail addresses for notifications, which only some callers may read. */
function formatFor(
  { organization, permissions }: Caller,
  { id, json }: { id: string; json: string },
): string {
  if (id === organization.id && permissions.has('notifications:read')) return json
  const { settings, ...record } = JSON.parse(json) as { settings: { notifications?: object } }
  const { notifications: _, ...shown } = settings
  return withMembers(JSON.stringify(record), { settings: JSON.stringify(shown) })
}

const accountTypes = ['operator', 'owner', 'agency', 'sandbox'] as const

/** A part of an organization: its own business, an owner whose units it manages, or an agency. */
const Account = Type.Object(
  { id: Id, org_id: Id, name: text(255), type: oneOf(...accountTypes), ...timestampFields },
  { title: 'Account' },
)

export const accountRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) =>
    registerResource(app, cursorKeys, {
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

/** A person who may act for an organization. Members are changed by `vacancy member`. */
const Member = Type.Object(
  {
    id: Id,
    org_id: Id,
    account_id: Id,
    name: nullable(text(320)),
    email: text(320),
    role: oneOf(...roles),
    created_at: Timestamp,
  },
  { title: 'Member' },
)

const { limit, cursor } = PageQuery

export const memberRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    app.get(
      '/members',
      { schema: listSchema('members', 'members', Member, { limit, cursor }) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys)
        const found = await listMembers(request.scope, page)
        return sendList(request, reply, 'members', page, found, ({ json }) => json)
      },
    )
  }
