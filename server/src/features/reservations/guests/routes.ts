import { Type } from 'typebox'
import { oneOf } from '#schema/fields.ts'
import { anyOf, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { jsonText } from '#http/replies.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { findErasure, listErasures } from './queries.ts'
import { exportGuest } from './export-guest.ts'
import { GuestErasure, GuestExport, GuestSubject } from './guest.ts'
import { requestErasure, type ErasureSecrets } from './request-erasure.ts'

const tag = 'guests'

export const guestRoutes =
  ({ cursorKeys, ...secrets }: ErasureSecrets & { cursorKeys: CursorKeys }): Routes =>
  async (app) => {
    app.post(
      '/guest-exports',
      {
        schema: {
          tags: [tag],
          summary: 'Export the data of a guest',
          description:
            'For owners. The export is not stored; the audit records that it was requested. The lists of an unknown guest are empty.',
          body: GuestSubject,
          response: { 200: jsonText(Type.Object({ guest_export: GuestExport })) },
        },
      },
      async (request, reply) =>
        reply
          .type('application/json; charset=utf-8')
          .header('cache-control', 'no-store')
          .send(`{"guest_export":${await exportGuest(request.scope, request.body)}}`),
    )

    registerResource(app, cursorKeys, {
      path: '/guest-erasures',
      name: 'guest_erasure',
      tag,
      record: GuestErasure,
      query: {
        ...PageQuery,
        sort: sortable('created_at', 'updated_at'),
        status: anyOf(oneOf('pending', 'running', 'completed')),
      },
      input: GuestSubject,
      list: listErasures,
      find: findErasure,
      create: (scope, guest) => requestErasure(scope, secrets, guest),
      documentation: {
        create: {
          summary: 'Erase a guest',
          description:
            'For owners. A job erases the guest from all stored data, and later messages of a PMS about the same bookings are applied without the guest. This cannot be undone. It does not reach the PMS, the payment provider and partners; erase the guest there too.',
        },
      },
    })
  }
