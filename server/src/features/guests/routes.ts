import { Type } from 'typebox'
import { oneOf } from '#fields.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { answers, created, creates, list, lists, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { findErasure, listErasures } from './erasure-queries.ts'
import { exportGuest } from './export-guest.ts'
import { GuestErasure, GuestExport, GuestSubject } from './guest.ts'
import { requestErasure, type Keeping } from './request-erasure.ts'

const tag = 'guests'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at'),
  status: anyOf(oneOf('pending', 'running', 'completed')),
}

export const guestRoutes =
  ({ cursorKey, ...keeping }: Keeping & { cursorKey: Buffer }): Routes =>
  async (app) => {
    app.post(
      '/guest-exports',
      {
        schema: {
          tags: [tag],
          summary: 'Export all that is held of a guest',
          description:
            'For owners. Nothing of it is kept; that it was asked for stands in the history. A guest who is unknown has empty lists.',
          body: GuestSubject,
          response: { 200: answers(Type.Object({ guest_export: GuestExport })) },
        },
      },
      async (request, reply) =>
        reply
          .type('application/json; charset=utf-8')
          .header('cache-control', 'no-store')
          .send(`{"guest_export":${await exportGuest(request.scope, request.body)}}`),
    )

    app.get(
      '/guest-erasures',
      { schema: lists(tag, 'guest_erasures', GuestErasure, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const rows = await listErasures(request.scope, request.query, page)
        return list(request, reply, 'guest_erasures', page, rows, ({ json }) => json)
      },
    )

    app.get(
      '/guest-erasures/:id',
      { schema: shows(tag, 'guest_erasure', GuestErasure) },
      async (request, reply) =>
        show(request, reply, 'guest_erasure', await findErasure(request.scope, request.params.id)),
    )

    app.post(
      '/guest-erasures',
      {
        schema: {
          ...creates(tag, 'guest_erasure', GuestErasure, GuestSubject),
          summary: 'Have a guest forgotten',
          description:
            'For owners. A job takes the guest out of everything that is kept here, and keeps later words of a PMS about the same bookings from bringing the guest back; nothing undoes it. At the PMS, at the payment provider and at partners the operator has the guest forgotten there.',
        },
      },
      (request, reply) =>
        once(request, reply, async (scope) => {
          const erasure = await requestErasure(scope, keeping, request.body)
          return created('guest_erasure', '/api/v1/guest-erasures', erasure.id, erasure)
        }),
    )
  }
