import { Type } from 'typebox'
import type { Egress } from '#egress.ts'
import { Id, oneOf, text } from '#fields.ts'
import { refuseForeignIdentity } from '#http/echoes.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import {
  changes,
  created,
  creates,
  list,
  lists,
  pauses,
  removes,
  resumes,
  show,
  shows,
} from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import type { Vault } from '#secrets.ts'
import { ChannelTarget, ChannelTargetInput, refuseAddress, targetStatuses } from './channel-target.ts'
import { pauseTarget, resumeTarget } from './pause-queries.ts'
import { addTarget, changeTarget, findTarget, listTargets, removeTarget } from './queries.ts'

const tag = 'channel targets'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'name', 'status'),
  q: Type.Optional(text(255, 'Part of the name.')),
  account_id: anyOf(Id),
  status: anyOf(oneOf(...targetStatuses)),
  channel_type: anyOf(oneOf('pms')),
}

export const channelTargetRoutes =
  (cursorKey: Buffer, vault: Vault, egress: Pick<Egress, 'refusal'>): Routes =>
  async (app) => {
    app.get(
      '/channel-targets',
      { schema: lists(tag, 'channel_targets', ChannelTarget, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const rows = await listTargets(request.scope, request.query, page)
        return list(request, reply, 'channel_targets', page, rows, ({ json }) => json)
      },
    )

    app.get(
      '/channel-targets/:id',
      { schema: shows(tag, 'channel_target', ChannelTarget) },
      async (request, reply) =>
        show(request, reply, 'channel_target', await findTarget(request.scope, request.params.id)),
    )

    app.post(
      '/channel-targets',
      { schema: creates(tag, 'channel_target', ChannelTarget, ChannelTargetInput) },
      (request, reply) =>
        once(request, reply, async (scope) => {
          refuseForeignIdentity(scope, request.body)
          refuseAddress(request.body.config, egress)
          const target = await addTarget(scope, vault, request.body)
          return created('channel_target', '/api/v1/channel-targets', target.id, target)
        }),
    )

    app.put(
      '/channel-targets/:id',
      { schema: changes(tag, 'channel_target', ChannelTarget, ChannelTargetInput) },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        refuseAddress(body.config, egress)
        const target = await changeTarget(scope, vault, params.id, headers['if-match'], body)
        return show(request, reply, 'channel_target', target)
      },
    )

    app.delete('/channel-targets/:id', { schema: removes(tag, 'channel_target') }, async (request, reply) => {
      await removeTarget(request.scope, request.params.id, request.headers['if-match'])
      return reply.code(204).send()
    })

    app.post(
      '/channel-targets/:id/pause',
      { schema: pauses(tag, 'channel_target', ChannelTarget) },
      (request, reply) =>
        once(request, reply, async (scope) => {
          const { json } = await pauseTarget(scope, request.params.id)
          return { status: 201, headers: {}, body: `{"channel_target":${json}}` }
        }),
    )

    app.delete(
      '/channel-targets/:id/pause',
      { schema: resumes(tag, 'channel_target') },
      async ({ scope, params }, reply) => {
        await resumeTarget(scope, params.id)
        return reply.code(204).send()
      },
    )
  }
