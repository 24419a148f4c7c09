import { Type } from 'typebox'
import { Id, oneOf, text } from '#fields.ts'
import { refuseForeignIdentity, withoutEchoes } from '#http/echoes.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { changes, created, creates, list, lists, removes, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { addCharge, changeCharge, findCharge, listCharges, removeCharge } from './queries.ts'
import {
  assertOnePlace,
  Charge,
  ChargeInput,
  chargeKinds,
  ChargePatch,
  chargeStatuses,
  completeCharge,
} from './charge.ts'

const tag = 'charges'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'name', 'status'),
  q: Type.Optional(text(255, 'Part of the name.')),
  account_id: anyOf(Id),
  space_id: anyOf(Id),
  unit_id: anyOf(Id),
  kind: anyOf(oneOf(...chargeKinds)),
  status: anyOf(oneOf(...chargeStatuses)),
}

export const chargeRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) => {
    app.get('/charges', { schema: lists(tag, 'charges', Charge, query) }, async (request, reply) => {
      const page = pageRequest(request, cursorKey)
      const rows = await listCharges(request.scope, request.query, page)
      return list(request, reply, 'charges', page, rows, ({ json }) => json)
    })

    app.get('/charges/:id', { schema: shows(tag, 'charge', Charge) }, async (request, reply) =>
      show(request, reply, 'charge', await findCharge(request.scope, request.params.id)),
    )

    app.post('/charges', { schema: creates(tag, 'charge', Charge, ChargeInput) }, (request, reply) =>
      once(request, reply, async (scope) => {
        refuseForeignIdentity(scope, request.body)
        const charge = await addCharge(scope, request.body)
        return created('charge', '/api/v1/charges', charge.id, charge)
      }),
    )

    app.put(
      '/charges/:id',
      { schema: changes(tag, 'charge', Charge, ChargeInput) },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        const charge = await changeCharge(scope, params.id, headers['if-match'], (current) => {
          assertOnePlace(body)
          return completeCharge(body, current)
        })
        return show(request, reply, 'charge', charge)
      },
    )

    app.patch(
      '/charges/:id',
      { schema: changes(tag, 'charge', Charge, ChargePatch, 'Change parts of a charge') },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        const patch = withoutEchoes(body)
        const charge = await changeCharge(scope, params.id, headers['if-match'], (current) => ({
          ...current,
          ...patch,
        }))
        return show(request, reply, 'charge', charge)
      },
    )

    app.delete('/charges/:id', { schema: removes(tag, 'charge') }, async (request, reply) => {
      await removeCharge(request.scope, request.params.id, request.headers['if-match'])
      return reply.code(204).send()
    })
  }
