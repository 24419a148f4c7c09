import { Type } from 'typebox'
import { Id, oneOf, text } from '#fields.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { changes, created, creates, list, lists, removes, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { refuseForeignIdentity, withoutEchoes } from '#http/echoes.ts'
import { addUnit, changeUnit, findUnit, listUnits, removeUnit, replaceUnit, unitText } from './queries.ts'
import { patchUnit, Unit, UnitInput, UnitPatch, unitStatuses, unitTypes } from './unit.ts'

const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'name', 'status'),
  q: Type.Optional(text(255, 'Part of the name.')),
  account_id: anyOf(Id),
  status: anyOf(oneOf(...unitStatuses)),
  space_id: anyOf(Id),
  type: anyOf(oneOf(...unitTypes)),
}

export const unitRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) => {
    app.get('/units', { schema: lists('units', 'units', Unit, query) }, async (request, reply) => {
      const page = pageRequest(request, cursorKey)
      const rows = await listUnits(request.scope, request.query, page)
      return list(request, reply, 'units', page, rows, unitText)
    })

    app.get('/units/:id', { schema: shows('units', 'unit', Unit) }, async (request, reply) =>
      show(request, reply, 'unit', await findUnit(request.scope, request.params.id)),
    )

    app.post('/units', { schema: creates('units', 'unit', Unit, UnitInput) }, (request, reply) =>
      once(request, reply, async (scope) => {
        refuseForeignIdentity(scope, request.body)
        const unit = await addUnit(scope, request.body)
        return created('unit', '/api/v1/units', unit.id, unit)
      }),
    )

    app.put('/units/:id', { schema: changes('units', 'unit', Unit, UnitInput) }, async (request, reply) => {
      const { scope, params, body, headers } = request
      refuseForeignIdentity(scope, body, params.id)
      return show(request, reply, 'unit', await replaceUnit(scope, params.id, headers['if-match'], body))
    })

    app.patch(
      '/units/:id',
      { schema: changes('units', 'unit', Unit, UnitPatch, 'Change parts of a unit') },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        const patch = withoutEchoes(body)
        return show(
          request,
          reply,
          'unit',
          await changeUnit(scope, params.id, headers['if-match'], (current) => patchUnit(current, patch)),
        )
      },
    )

    app.delete(
      '/units/:id',
      { schema: removes('units', 'unit') },
      async ({ scope, params, headers }, reply) => {
        await removeUnit(scope, params.id, headers['if-match'])
        return reply.code(204).send()
      },
    )
  }
