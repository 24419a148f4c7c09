import { Type, type Static } from 'typebox'
import { Count, Id, echoes, nullable, oneOf, owned, stamped, text } from '#fields.ts'

export const contentTypes = [
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/avif',
  'image/gif',
  'application/pdf',
] as const
export type ContentType = (typeof contentTypes)[number]

export const extensions: Readonly<Record<ContentType, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'application/pdf': 'pdf',
}

/** A file may have 10 MiB, and a picture 50 million pixels. */
export const mostBytes = 10 * 1_048_576
export const mostPixels = 50_000_000

const url = Type.String({ format: 'uri', maxLength: 2_048, description: 'Where anybody can read the file.' })
const file = {
  url,
  content_type: oneOf(...contentTypes),
  size_bytes: Type.Integer({ minimum: 1, maximum: 1_073_741_824, format: 'int64' }),
}
const edge = Count(1, 65_535)
const Position = {
  ...Count(0, 10_000),
  description: 'Place among those of the same property or unit, from 0.',
}
const Description = text(1_000, 'What can be seen, for those who cannot see it.')

export const renditionNames = ['thumbnail', 'small', 'large'] as const

const Rendition = Type.Object(
  { name: oneOf(...renditionNames), ...file, width: edge, height: edge },
  { title: 'Rendition', description: 'The same picture, made smaller: 320, 800 and 1600 pixels at most.' },
)

export const Media = Type.Object(
  {
    ...owned,
    property_id: Id,
    unit_id: nullable(Id),
    ...file,
    width: nullable(edge),
    height: nullable(edge),
    checksum: Type.String({
      pattern: '^sha256:[0-9a-f]{64}$',
      maxLength: 71,
      description: 'Of the file at `url`, which is not what was sent: a picture is made anew.',
    }),
    renditions: Type.Array(Rendition, { maxItems: renditionNames.length }),
    position: Position,
    description: nullable(Description),
    ...stamped,
  },
  {
    title: 'Media',
    description:
      'A photo or document of a property, or of one of its units. What a camera notes in a photo, such as where it was taken, is removed.',
  },
)

export const Stored = Type.Object({ url, media: Media }, { title: 'StoredMedia' })

/** What travels beside the file. */
export const Upload = Type.Object({
  file: Type.Unsafe<unknown>({
    type: 'string',
    format: 'binary',
    maxLength: mostBytes,
    description: 'JPEG, PNG, WebP, AVIF, GIF or PDF, whatever its name says.',
  }),
  unit_id: Type.Optional(Id),
  description: Type.Optional(Description),
})

export const MediaPatch = Type.Object(
  {
    position: Type.Optional(Position),
    description: Type.Optional(nullable(Description)),
    ...echoes(
      'id',
      'org_id',
      'account_id',
      'property_id',
      'unit_id',
      'url',
      'content_type',
      'size_bytes',
      'width',
      'height',
      'checksum',
      'renditions',
      'created_at',
      'updated_at',
    ),
  },
  {
    title: 'MediaPatch',
    additionalProperties: false,
    example: { description: 'The terrace in the evening' },
  },
)
export type MediaPatch = Static<typeof MediaPatch>

/** One file as it lies in the storage. */
export interface Placed {
  readonly key: string
  readonly contentType: ContentType
  readonly sizeBytes: number
  readonly width: number | null
  readonly height: number | null
  readonly checksum: string
}

/** Records name their files by path, so that they outlive a change of our address. */
export const withAddresses = (json: string, publicUrl: string) =>
  json.replace(/"url": ?"\/media\//g, () => `"url":"${publicUrl}/media/`)
