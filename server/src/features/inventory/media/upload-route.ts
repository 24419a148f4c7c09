import multipart from '@fastify/multipart'
import { Type } from 'typebox'
import { BadRequest } from '#errors.ts'
import { Id } from '#schema/fields.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { StoredMedia, UploadForm, withAbsoluteUrls } from './media.ts'
import { findPlace } from './queries.ts'
import { discardRest, multipartLimits, receiveFile, type Part } from './receive-file.ts'
import { createMedia } from './save-media.ts'
import { discardStored, storeFile, type StoreFileOptions } from './store-file.ts'
import { openFairQueue } from './fair-queue.ts'
import { openUploadFolder, removeOldFolders } from './upload-folder.ts'

export interface UploadOptions extends Omit<StoreFileOptions, 'runInTurn'> {
  readonly publicUrl: string
  /** The folder of files that are being received. */
  readonly uploads: string
}

export const uploadRoute =
  ({ publicUrl, uploads, ...storage }: UploadOptions): Routes =>
  async (app) => {
    const options: StoreFileOptions = { ...storage, runInTurn: openFairQueue(2, 40) }
    const limitUploads = openFairQueue(40, 0)
    await app.register(multipart, { limits: multipartLimits })
    app.addHook('onReady', () => removeOldFolders(uploads))

    app.post(
      '/properties/:property_id/media',
      {
        schema: {
          tags: ['media'],
          summary: 'Store a photo or document of a property',
          description:
            'At most 10 MiB and 50 million pixels (AVIF and GIF: 20 million). Photos are pushed to the PMS.',
          params: Type.Object({ property_id: Id }),
          consumes: ['multipart/form-data'],
          body: UploadForm,
          response: { 200: jsonText(StoredMedia) },
        },
        config: { isUpload: true },
        // The body is read part by part while it arrives, so the schema only documents it.
        validatorCompiler: (route) =>
          route.httpPart === 'body' ? () => true : app.validatorCompiler!(route as never),
      },
      (request, reply) =>
        limitUploads(request.scope.orgId, async () => {
          const { scope, raw } = request
          const propertyId = request.params.property_id
          try {
            await findPlace(scope, { propertyId, unitId: null })
            if (!request.isMultipart())
              throw new BadRequest('unsupported-media-type', 'An upload is multipart/form-data.')
            await using folder = await openUploadFolder(uploads)
            const received = await receiveFile(request.parts() as AsyncIterable<Part>, folder.path)
            const { unitId, description } = received
            const place = { propertyId, unitId }
            await findPlace(scope, place)
            const files = await storeFile(scope, options, received, folder.path)
            let hasRecord = false
            try {
              // Requests with the same Idempotency-Key are compared by this body.
              const { checksum } = files.original
              Object.assign(request, { body: { unitId, description, checksum } })
              const answer = await replyIdempotently(request, reply, async (transaction) => {
                const media = await createMedia(transaction, { place, description, ...files })
                hasRecord = true
                const url = `${publicUrl}/media/${files.original.key}`
                const body = `{"url":${JSON.stringify(url)},"media":${withAbsoluteUrls(media.json, publicUrl)}}`
                return { status: 200, body }
              })
              return answer
            } catch (error) {
              hasRecord = false
              throw error
            } finally {
              if (!hasRecord) await discardStored(scope, [files.original, ...files.renditions])
            }
          } finally {
            discardRest(raw)
          }
        }),
    )
  }
