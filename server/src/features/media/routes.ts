import multipart from '@fastify/multipart'
import { Type } from 'typebox'
import { Malformed } from '#errors.ts'
import { Id, oneOf } from '#fields.ts'
import { refuseForeignIdentity } from '#http/echoes.ts'
import { once } from '#http/idempotency.ts'
import { pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { answers, changes, list, lists, removes, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { contentTypes, Media, MediaPatch, Stored, Upload, withAddresses } from './media.ts'
import { addMedia, changeMedia, findMedia, findPlace, listMedia, removeMedia } from './queries.ts'
import { limits, receiveFile, type Part } from './receive-file.ts'
import { dropStored, storeFile, type Means } from './store-file.ts'
import { openTurns } from './turns.ts'
import { discardRest } from './discard-rest.ts'
import { openFolder, sweepFolders } from './upload-folder.ts'

const tag = 'media'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'position'),
  unit_id: Type.Optional(Id),
  content_type: Type.Optional(oneOf(...contentTypes)),
}
const PropertyParams = Type.Object({ property_id: Id })

interface Surroundings extends Omit<Means, 'inTurn'> {
  readonly cursorKey: Buffer
  readonly publicUrl: string
  /** Where uploads lie while they arrive. */
  readonly uploads: string
}

export const mediaRoutes =
  ({ cursorKey, publicUrl, uploads, ...storing }: Surroundings): Routes =>
  async (app) => {
    const means: Means = { ...storing, inTurn: openTurns(2, 40) }
    const arriving = openTurns(40, 0)
    const text = ({ json }: { json: string }) => withAddresses(json, publicUrl)
    await app.register(multipart, { limits })
    app.addHook('onReady', () => sweepFolders(uploads))

    app.get(
      '/media',
      {
        schema: lists(tag, 'media', Media, {
          ...query,
          account_id: Type.Optional(Id),
          property_id: Type.Optional(Id),
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
      { schema: { ...lists(tag, 'media', Media, query), params: PropertyParams, problems: [404] } },
      async (request, reply) => {
        const { property_id: propertyId } = request.params
        const page = pageRequest(request, cursorKey, 'position')
        await findPlace(request.scope, { propertyId, unitId: null }, 'reading')
        const rows = await listMedia(request.scope, { ...request.query, space_id: propertyId }, page)
        return list(request, reply, 'media', page, rows, text)
      },
    )

    app.post(
      '/properties/:property_id/media',
      {
        schema: {
          tags: [tag],
          summary: 'Store a photo or document of a property',
          description: 'At most 10 MiB and 50 million pixels. The PMS is told of photos.',
          params: PropertyParams,
          consumes: ['multipart/form-data'],
          body: Upload,
          response: { 200: answers(Stored) },
        },
        // The body is read while it arrives, part by part.
        validatorCompiler: (route) =>
          route.httpPart === 'body' ? () => true : app.validatorCompiler!(route as never),
      },
      (request, reply) =>
        arriving(async () => {
          const { scope, raw } = request
          const propertyId = request.params.property_id
          try {
            await findPlace(scope, { propertyId, unitId: null })
            if (!request.isMultipart())
              throw new Malformed('unsupported-media-type', 'An upload is multipart/form-data.')
            await using folder = await openFolder(uploads)
            const received = await receiveFile(request.parts() as AsyncIterable<Part>, folder.path)
            const { unitId, description } = received
            const place = { propertyId, unitId }
            await findPlace(scope, place)
            const files = await storeFile(scope, means, received, folder.path)
            let isKept = false
            try {
              // What makes a repeated request the same one.
              const { checksum } = files.original
              Object.assign(request, { body: { unitId, description, checksum } })
              const answer = await once(request, reply, async (inside) => {
                const media = await addMedia(inside, { place, description, ...files })
                isKept = true
                const url = `${publicUrl}/media/${files.original.key}`
                const body = `{"url":${JSON.stringify(url)},"media":${text(media)}}`
                return { status: 200, headers: {}, body }
              })
              return answer
            } catch (error) {
              isKept = false
              throw error
            } finally {
              if (!isKept) await dropStored(scope, [files.original, ...files.renditions])
            }
          } finally {
            discardRest(raw)
          }
        }),
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
