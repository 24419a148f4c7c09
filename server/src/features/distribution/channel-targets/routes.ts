import { Type } from 'typebox'
import type { Egress } from '#egress/egress.ts'
import { Id, oneOf, text } from '#schema/fields.ts'
import { anyOf, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import type { Vault } from '#secrets/vault.ts'
import { ChannelTarget, ChannelTargetInput, assertAddressAllowed, targetStatuses } from './channel-target.ts'
import { deleteTarget } from './delete-target.ts'
import { pauseTarget, resumeTarget } from './pause-target.ts'
import { findTarget, listTargets } from './queries.ts'
import { createTarget, updateTarget } from './save-target.ts'

export const channelTargetRoutes =
  (cursorKeys: CursorKeys, vault: Vault, egress: Pick<Egress, 'addressProblem'>): Routes =>
  async (app) => {
    registerResource(app, cursorKeys, {
      path: '/channel-targets',
      name: 'channel_target',
      record: ChannelTarget,
      query: {
        ...PageQuery,
        sort: sortable('created_at', 'updated_at', 'name', 'status'),
        q: Type.Optional(text(255, 'Part of the name.')),
        account_id: anyOf(Id),
        status: anyOf(oneOf(...targetStatuses)),
        channel_type: anyOf(oneOf('pms')),
      },
      input: ChannelTargetInput,
      list: listTargets,
      find: findTarget,
      create: (scope, input) => {
        assertAddressAllowed(input.config, egress)
        return createTarget(scope, vault, input)
      },
      replace: (scope, id, expected, input) => {
        assertAddressAllowed(input.config, egress)
        return updateTarget(scope, vault, id, expected, input)
      },
      delete: deleteTarget,
      pause: { begin: pauseTarget, end: resumeTarget },
    })
  }
