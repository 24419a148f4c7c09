import { Type } from 'typebox'
import { Id, oneOf } from '#fields.ts'
import { refuseForeignIdentity } from '#http/echoes.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { changes, list, lists, removes, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { contentTypes, Media, MediaPatch, withAddresses } from './media.ts'
import { changeMedia, findMedia, findPlace, listMedia, removeMedia } from './queries.ts'
import { uploadRoute, type Uploading } from './upload-route.ts'

const tag = 'media'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'position'),
  unit_id: anyOf(Id),
  content_type: anyOf(oneOf(...contentTypes)),
}
const PropertyParams = Type.Object({ property_id: Id })

export const mediaRoutes =
  ({ cursorKey, ...uploading }: Uploading & { readonly cursorKey: Buffer }): Routes =>
  async (app) => {
    const { publicUrl } = uploading
    const text = ({ json }: { json: string }) => withAddresses(json, publicUrl)
    // In a place of its own, because only there a body may come in parts.
    await app.register(uploadRoute(uploading))

    app.get(
      '/media',
      {
        schema: lists(tag, 'media', Media, {
          ...query,
          account_id: anyOf(Id),
          property_id: anyOf(Id),
        }),
      },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const { property_id, ...rest } = request.query
        const rows = await listMedia(request.scope, { ...rest, space_id: property_id }, page)
        return list(request, reply, 'media', page, rows, text)
      },
    )

    app.get(
      '/properties/:property_id/media',
      { schema: { ...lists(tag, 'media', Media, query), params: PropertyParams } },
      async (request, reply) => {
        const { property_id: propertyId } = request.params
        const page = pageRequest(request, cursorKey, 'position')
        await findPlace(request.scope, { propertyId, unitId: null }, 'reading')
        const rows = await listMedia(request.scope, { ...request.query, space_id: propertyId }, page)
        return list(request, reply, 'media', page, rows, text)
      },
    )

    app.get('/media/:id', { schema: shows(tag, 'media', Media) }, async (request, reply) => {
      const { json, version } = await findMedia(request.scope, request.params.id)
      return show(request, reply, 'media', { json: withAddresses(json, publicUrl), version })
    })

    app.patch(
      '/media/:id',
      { schema: changes(tag, 'media', Media, MediaPatch, 'Change the place or description of a media') },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        const { json, version } = await changeMedia(scope, params.id, headers['if-match'], body)
        return show(request, reply, 'media', { json: withAddresses(json, publicUrl), version })
      },
    )

    app.delete('/media/:id', { schema: removes(tag, 'media') }, async (request, reply) => {
      await removeMedia(request.scope, request.params.id, request.headers['if-match'])
      return reply.code(204).send()
    })
  }
