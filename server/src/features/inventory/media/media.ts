import { Type, type Static } from 'typebox'
import {
  Count,
  Id,
  readOnlyFields,
  nullable,
  oneOf,
  ownedFields,
  timestampFields,
  text,
} from '#schema/fields.ts'

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

export const maxFileBytes = 10 * 1_048_576
/** Of all frames of a picture together: reading them takes 14 bytes each, and those of AVIF and GIF up to 35. */
export const maxPixels = 50_000_000
export const maxPixelsOf = (contentType: ContentType) =>
  contentType === 'image/avif' || contentType === 'image/gif' ? 20_000_000 : maxPixels
export const maxEdge = 65_535

const url = Type.String({ format: 'uri', maxLength: 2_048, description: 'Public address of the file.' })
const file = {
  url,
  content_type: oneOf(...contentTypes),
  size_bytes: Type.Integer({ minimum: 1, maximum: 1_073_741_824, format: 'int64' }),
}
const edge = Count(1, maxEdge)
const Position = {
  ...Count(0, 10_000),
  description: 'Position among the media of the same property or unit, from 0.',
}
const Description = text(1_000, 'Alternative text of the picture.')

const renditionNames = ['thumbnail', 'small', 'large'] as const

const Rendition = Type.Object(
  { name: oneOf(...renditionNames), ...file, width: edge, height: edge },
  {
    title: 'Rendition',
    description: 'A smaller copy of the picture: at most 320, 800 or 1600 pixels wide and high.',
  },
)

export const Media = Type.Object(
  {
    ...ownedFields,
    property_id: Id,
    unit_id: nullable(Id),
    ...file,
    width: nullable(edge),
    height: nullable(edge),
    checksum: Type.String({
      pattern: '^sha256:[0-9a-f]{64}$',
      maxLength: 71,
      description:
        'Checksum of the file at `url`. It differs from the uploaded file, because pictures are encoded again.',
    }),
    renditions: Type.Array(Rendition, { maxItems: renditionNames.length }),
    position: Position,
    description: nullable(Description),
    ...timestampFields,
  },
  {
    title: 'Media',
    description:
      'A photo or document of a property, or of one of its units. Metadata of photos, such as the location, is removed.',
  },
)

export const StoredMedia = Type.Object({ url, media: Media }, { title: 'StoredMedia' })

/** The multipart body of an upload. */
export const UploadForm = Type.Object({
  file: Type.Unsafe<unknown>({
    type: 'string',
    format: 'binary',
    maxLength: maxFileBytes,
    description: 'JPEG, PNG, WebP, AVIF, GIF or PDF, decided by its content and not by its name.',
  }),
  unit_id: Type.Optional(Id),
  description: Type.Optional(Description),
})

export const MediaPatch = Type.Object(
  {
    position: Type.Optional(Position),
    description: Type.Optional(nullable(Description)),
    ...readOnlyFields(
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

/** One file in the storage. */
export interface StoredFile {
  readonly key: string
  readonly contentType: ContentType
  readonly sizeBytes: number
  readonly width: number | null
  readonly height: number | null
  readonly checksum: string
}

/** Records store the paths of their files; responses contain URLs with the current address of the service. */
export const withAbsoluteUrls = (json: string, publicUrl: string) =>
  json.replace(/"url": ?"\/media\//g, () => `"url":"${publicUrl}/media/`)
