import { Type, type Static } from 'typebox'
import { Count, Id, Timestamp, nullable, oneOf, text, timestampFields } from '#schema/fields.ts'

export const exportStatuses = ['pending', 'running', 'completed', 'failed'] as const
/** What an export does, in this order. */
const stages = ['records', 'media', 'file'] as const
export type ExportStage = (typeof stages)[number]

export const exportErrors = ['storage_unavailable', 'too_large', 'interrupted', 'internal'] as const
export type ExportError = (typeof exportErrors)[number]

/** What a bucket takes in one request. */
export const maxFileBytes = 5 * 1024 ** 3

const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, format: 'int64' })

/** One export of everything of an organization. */
export const Export = Type.Object(
  {
    id: Id,
    org_id: Id,
    status: oneOf(...exportStatuses),
    stage: { ...oneOf(...stages), description: 'What is copied now.' },
    done: { ...Amount, description: 'Of `total`: tables, media files or bytes, as the stage says.' },
    total: { ...Amount, description: 'How many there are.' },
    size_bytes: nullable({ ...Amount, description: 'Of the file.' }),
    checksum: nullable(text(64, 'SHA-256 of its manifest.')),
    missing_files: { ...Count(0, 10_000_000), description: 'Media files that the storage did not have.' },
    error_code: nullable({ ...oneOf(...exportErrors), description: 'Why it failed.' }),
    finished_at: nullable({ ...Timestamp, description: 'When it ended.' }),
    expires_at: nullable({ ...Timestamp, description: 'When it is deleted, with its file.' }),
    ...timestampFields,
  },
  { title: 'Export' },
)

export const ExportDownload = Type.Object(
  {
    url: text(2_048, 'Needs no token. A tar archive.'),
    expires_at: { ...Timestamp, description: 'Until then a download can begin.' },
  },
  { title: 'ExportDownload' },
)
export type ExportDownload = Static<typeof ExportDownload>
