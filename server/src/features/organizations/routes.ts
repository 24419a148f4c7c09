import { Type } from 'typebox'
import { text } from '#fields.ts'
import { pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { list, lists, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
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
        const ids = request.caller.memberOf.filter((id) => org_id === undefined || id === org_id)
        const rows = await listOrganizations(request.scope, ids, { q, updated_since }, page)
        return list(request, reply, 'organizations', page, rows, ({ json }) => json)
      },
    )

    app.get(
      '/organizations/:id',
      { schema: shows('organizations', 'organization', Organization) },
      async (request, reply) =>
        show(
          request,
          reply,
          'organization',
          await findOrganization(request.scope, request.caller.memberOf, request.params.id),
        ),
    )
  }
