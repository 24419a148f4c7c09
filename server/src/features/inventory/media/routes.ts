import { Type } from 'typebox'
import { Id, oneOf } from '#schema/fields.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { listSchema, sendList } from '#http/replies.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { contentTypes, Media, MediaPatch, withAbsoluteUrls } from './media.ts'
import { findMedia, findPlace, listMedia } from './queries.ts'
import { deleteMedia, updateMedia } from './save-media.ts'
import { uploadRoute, type UploadOptions } from './upload-route.ts'

const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'position'),
  unit_id: anyOf(Id),
  content_type: anyOf(oneOf(...contentTypes)),
}

export const mediaRoutes =
  ({ cursorKeys, ...uploading }: UploadOptions & { readonly cursorKeys: CursorKeys }): Routes =>
  async (app) => {
    const { publicUrl } = uploading
    // The upload is a plugin of its own, so that only its route accepts multipart bodies.
    await app.register(uploadRoute(uploading))

    registerResource(app, cursorKeys, {
      path: '/media',
      name: 'media',
      record: Media,
      query: { ...query, account_id: anyOf(Id), property_id: anyOf(Id) },
      patch: MediaPatch,
      list: (scope, { property_id, ...filter }, page) =>
        listMedia(scope, { ...filter, space_id: property_id }, page),
      find: findMedia,
      update: updateMedia,
      delete: deleteMedia,
      format: (json) => withAbsoluteUrls(json, publicUrl),
      documentation: { update: { summary: 'Update the position or description of a file' } },
    })

    app.get(
      '/properties/:property_id/media',
      { schema: { ...listSchema('media', 'media', Media, query), params: Type.Object({ property_id: Id }) } },
      async (request, reply) => {
        const { property_id: propertyId } = request.params
        const page = pageRequest(request, cursorKeys, 'position')
        await findPlace(request.scope, { propertyId, unitId: null }, 'reading')
        const rows = await listMedia(request.scope, { ...request.query, space_id: propertyId }, page)
        return sendList(request, reply, 'media', page, rows, ({ json }) => withAbsoluteUrls(json, publicUrl))
      },
    )
  }
