import { Type } from 'typebox'
import { Id, oneOf, text } from '#fields.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { changes, created, creates, list, lists, removes, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { refuseForeignIdentity, withoutEchoes } from '#http/echoes.ts'
import { addSpace, changeSpace, findSpace, listSpaces, removeSpace, replaceSpace } from './queries.ts'
import { Space, SpaceInput, SpacePatch, spaceStatuses } from './space.ts'

const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'name', 'status'),
  q: Type.Optional(text(255, 'Part of the name.')),
  account_id: anyOf(Id),
  status: anyOf(oneOf(...spaceStatuses)),
  country: anyOf(text(2)),
  city: anyOf(text(255)),
}

export const spaceRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) => {
    app.get('/spaces', { schema: lists('spaces', 'spaces', Space, query) }, async (request, reply) => {
      const page = pageRequest(request, cursorKey)
      const rows = await listSpaces(request.scope, request.query, page)
      return list(request, reply, 'spaces', page, rows, ({ json }) => json)
    })

    app.get('/spaces/:id', { schema: shows('spaces', 'space', Space) }, async (request, reply) =>
      show(request, reply, 'space', await findSpace(request.scope, request.params.id)),
    )

    // The same records by their other name, for those who only read.
    app.get(
      '/properties',
      { schema: lists('spaces', 'properties', Space, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const rows = await listSpaces(request.scope, request.query, page)
        return list(request, reply, 'properties', page, rows, ({ json }) => json)
      },
    )

    app.get('/properties/:id', { schema: shows('spaces', 'property', Space) }, async (request, reply) =>
      show(request, reply, 'property', await findSpace(request.scope, request.params.id)),
    )

    app.post('/spaces', { schema: creates('spaces', 'space', Space, SpaceInput) }, (request, reply) =>
      once(request, reply, async (scope) => {
        refuseForeignIdentity(scope, request.body)
        const space = await addSpace(scope, request.body)
        return created('space', '/api/v1/spaces', space.id, space)
      }),
    )

    app.put(
      '/spaces/:id',
      { schema: changes('spaces', 'space', Space, SpaceInput) },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        return show(request, reply, 'space', await replaceSpace(scope, params.id, headers['if-match'], body))
      },
    )

    app.patch(
      '/spaces/:id',
      { schema: changes('spaces', 'space', Space, SpacePatch, 'Change parts of a space') },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        const patch = withoutEchoes(body)
        return show(
          request,
          reply,
          'space',
          await changeSpace(scope, params.id, headers['if-match'], (current) => ({ ...current, ...patch })),
        )
      },
    )

    app.delete(
      '/spaces/:id',
      { schema: removes('spaces', 'space') },
      async ({ scope, params, headers }, reply) => {
        await removeSpace(scope, params.id, headers['if-match'])
        return reply.code(204).send()
      },
    )
  }
