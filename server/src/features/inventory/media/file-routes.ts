import { Type } from 'typebox'
import { text } from '#schema/fields.ts'
import { sendProblem } from '#http/problems.ts'
import type { Routes } from '#http/routes.ts'
import type { Storage } from '#integrations/storage/storage.ts'
import { extensions, type ContentType } from './media.ts'
import { openFile } from './open-file.ts'

const contentTypeOf = new Map(
  Object.entries(extensions).map(([contentType, extension]) => [extension, contentType as ContentType]),
)
const organizationPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const filePattern = /^[\w-]{32}\.([a-z]+)$/

/** Channels and guests read files without a token: a file name has 192 random bits and cannot be guessed. */
export const mediaFileRoutes =
  (storage: Storage, publicUrl: string): Routes =>
  async (app) => {
    app.get(
      '/media/:organization/:file',
      {
        schema: {
          tags: ['media'],
          summary: 'A stored file',
          description: 'The `url` of a media or of a rendition. The content of an address never changes.',
          params: Type.Object({ organization: text(255), file: text(255) }),
          produces: Object.keys(extensions),
          response: {
            200: Type.Unsafe<unknown>({ type: 'string', format: 'binary', maxLength: 1_073_741_824 }),
          },
        },
      },
      async (request, reply) => {
        const { organization: owner, file: name } = request.params
        const contentType = contentTypeOf.get(filePattern.exec(name)?.[1] ?? '')
        const etag = `"${name.slice(0, 32)}"`
        const isCached = request.headers['if-none-match']?.includes(etag)
        const found =
          contentType &&
          organizationPattern.test(owner) &&
          (await openFile(storage, `${owner}/${name}`, request.method))
        if (!found) {
          const detail = `There is nothing at ${request.url.split('?')[0]!.slice(0, 200)}.`
          return sendProblem(reply, request, publicUrl, { code: 'no-such-path', detail })
        }
        void reply.headers({
          etag,
          'cache-control': 'public, max-age=31536000, immutable',
          // A file that a browser takes for a page must not run scripts with our origin.
          'content-security-policy': "default-src 'none'; sandbox",
          'cross-origin-resource-policy': 'cross-origin',
          ...(contentType === 'application/pdf' && { 'content-disposition': 'attachment' }),
        })
        if (isCached) {
          found.content.destroy()
          return (reply as { code(status: number): { send(): unknown } }).code(304).send()
        }
        return reply.type(contentType).header('content-length', found.sizeBytes).send(found.content)
      },
    )
  }
