import multipart from '@fastify/multipart'
import { Type } from 'typebox'
import { Malformed } from '#errors.ts'
import { Id } from '#fields.ts'
import { once } from '#http/idempotency.ts'
import { answers } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { discardRest } from './discard-rest.ts'
import { Stored, Upload, withAddresses } from './media.ts'
import { addMedia, findPlace } from './queries.ts'
import { limits, receiveFile, type Part } from './receive-file.ts'
import { dropStored, storeFile, type Means } from './store-file.ts'
import { openTurns } from './turns.ts'
import { openFolder, sweepFolders } from './upload-folder.ts'

export interface Uploading extends Omit<Means, 'inTurn'> {
  readonly publicUrl: string
  /** Where uploads lie while they arrive. */
  readonly uploads: string
}

export const uploadRoute =
  ({ publicUrl, uploads, ...storing }: Uploading): Routes =>
  async (app) => {
    const means: Means = { ...storing, inTurn: openTurns(2, 40) }
    const arriving = openTurns(40, 0)
    await app.register(multipart, { limits })
    app.addHook('onReady', () => sweepFolders(uploads))

    app.post(
      '/properties/:property_id/media',
      {
        schema: {
          tags: ['media'],
          summary: 'Store a photo or document of a property',
          description: 'At most 10 MiB and 50 million pixels. The PMS is told of photos.',
          params: Type.Object({ property_id: Id }),
          consumes: ['multipart/form-data'],
          body: Upload,
          response: { 200: answers(Stored) },
        },
        config: { isUpload: true },
        // The body is read while it arrives, part by part.
        validatorCompiler: (route) =>
          route.httpPart === 'body' ? () => true : app.validatorCompiler!(route as never),
      },
      (request, reply) =>
        arriving(request.scope.orgId, async () => {
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
                const body = `{"url":${JSON.stringify(url)},"media":${withAddresses(media.json, publicUrl)}}`
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
  }
