import { Type } from 'typebox'
import { Id, Timestamp, nullable, oneOf, text } from '#schema/fields.ts'
import { pageRequest, PageQuery } from '#http/paging.ts'
import { roles } from '#http/permissions.ts'
import { listSchema, sendList } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { listMembers } from './queries.ts'

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
  (cursorKey: Buffer): Routes =>
  async (app) => {
    app.get(
      '/members',
      { schema: listSchema('members', 'members', Member, { limit, cursor }) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const found = await listMembers(request.scope, page)
        return sendList(request, reply, 'members', page, found, ({ json }) => json)
      },
    )
  }
