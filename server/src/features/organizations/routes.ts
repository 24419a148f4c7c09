import { Type } from 'typebox'
import { text } from '#fields.ts'
import { pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { list, lists, nested, show, shows } from '#http/replies.ts'
import type { Caller, Routes } from '#http/routes.ts'
import { Organization } from './organization.ts'
import { findOrganization, listOrganizations } from './queries.ts'

const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'name'),
  q: Type.Optional(text(255)),
}

export const organizationRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) => {
    app.get(
      '/organizations',
      { schema: lists('organizations', 'organizations', Organization, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const { org_id, q, updated_since } = request.query
        const ids = request.caller.memberOf.filter((id) => org_id?.includes(id) ?? true)
        const rows = await listOrganizations(request.scope, ids, { q, updated_since }, page)
        return list(request, reply, 'organizations', page, rows, (row) => shownTo(request.caller, row))
      },
    )

    app.get(
      '/organizations/:id',
      { schema: shows('organizations', 'organization', Organization) },
      async (request, reply) => {
        const { caller, params, scope } = request
        const { json, version } = await findOrganization(scope, caller.memberOf, params.id)
        return show(request, reply, 'organization', {
          json: shownTo(caller, { id: params.id, json }),
          version,
        })
      },
    )
  }

/** Among the settings stand the addresses of those who are told of failures. */
function shownTo({ organization, permissions }: Caller, { id, json }: { id: string; json: string }): string {
  if (id === organization.id && permissions.has('notifications:read')) return json
  const { settings, ...record } = JSON.parse(json) as { settings: { notifications?: object } }
  const { notifications: _, ...shown } = settings
  return nested(JSON.stringify(record), { settings: JSON.stringify(shown) })
}
