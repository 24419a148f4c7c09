import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Type } from 'typebox'
import { BadRequest } from '#errors.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { createdReply, jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { openFairQueue } from '#features/inventory/media/fair-queue.ts'
import { discardRest } from '#features/inventory/media/receive-file.ts'
import { openUploadFolder } from '#features/inventory/media/upload-folder.ts'
import { createFileImport } from './control-file-import.ts'
import { FileImport, maxFileBytes, UploadQuery } from './file-import.ts'

const contentTypes = ['text/csv', 'application/octet-stream']

/** @param uploads is the folder of files that are being received */
export const uploadRoute =
  (uploads: string): Routes =>
  async (app) => {
    const limitUploads = openFairQueue(4, 40)
    app.addContentTypeParser(contentTypes, (_request, body, done) => done(null, body))

    app.post(
      '/file-imports',
      {
        schema: {
          tags: ['file imports'],
          summary: 'Import units, rates or bookings from a file',
          description:
            'The body is a CSV file of at most 20 MiB, or a JSON file of at most 5 MiB, with at most 100,000 rows. The columns are mapped by their names, and the rows are planned in the background: nothing is made before the import is run.',
          querystring: UploadQuery,
          consumes: contentTypes,
          body: Type.Unsafe<unknown>({ type: 'string', format: 'binary', maxLength: maxFileBytes }),
          response: { 201: jsonText(Type.Object({ file_import: FileImport })) },
        },
        config: { isUpload: true },
        // The body is read while it arrives, so the schema only documents it.
        validatorCompiler: (route) =>
          route.httpPart === 'body' ? () => true : app.validatorCompiler!(route as never),
      },
      (request, reply) =>
        limitUploads(request.scope.orgId, async () => {
          const { query, raw } = request
          try {
            if (!contentTypes.some((type) => request.headers['content-type']?.startsWith(type)))
              throw new BadRequest('unsupported-media-type', `A file is ${contentTypes.join(' or ')}.`)
            await using folder = await openUploadFolder(uploads)
            const path = join(folder.path, 'received')
            const received = await receive(request.body as Readable, path)
            // Requests with the same Idempotency-Key are compared by this body.
            Object.assign(request, { body: { ...query, checksum: received.checksum } })
            return await replyIdempotently(request, reply, async (scope) => {
              const { parseFile } = await import('./parse-file.ts')
              const created = await createFileImport(scope, query, await parseFile(path, received.sizeBytes))
              return createdReply('file_import', '/api/v1/file-imports', created.id, created)
            })
          } finally {
            discardRest(raw)
          }
        }),
    )
  }

async function receive(body: Readable, path: string): Promise<{ sizeBytes: number; checksum: string }> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length
      if (sizeBytes > maxFileBytes) throw new BadRequest('file-too-large', 'The file has more than 20 MiB.')
      hash.update(chunk)
      yield chunk
    }
  }
  // The request stays open for the response.
  await pipeline(
    body.iterator({ destroyOnReturn: false }),
    counted,
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  )
  if (sizeBytes === 0) throw new BadRequest('unsupported-media', 'The file is empty.')
  return { sizeBytes, checksum: hash.digest('hex') }
}
