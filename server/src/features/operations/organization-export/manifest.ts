import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { semanticError } from '#errors.ts'
import { Id, Timestamp } from '#schema/fields.ts'
import { exportedTables } from './exported-tables.ts'

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Rows = Type.Integer({ minimum: 0 })

const Manifest = Type.Object({
  format: Type.Literal('vacancy organization 1'),
  organization: Type.Object({ id: Id, name: Type.String() }),
  exported_at: Timestamp,
  /** The last migration of the database that it comes from. */
  schema: Type.String(),
  secrets: Type.Union([Type.Literal('left out'), Type.Literal('sealed')]),
  tables: Type.Array(Type.Object({ name: Type.String(), rows: Rows, sha256: Sha256 })),
  media: Type.Object({ files: Rows, bytes: Rows, sha256: Sha256 }),
})
export type Manifest = Static<typeof Manifest>

/** The checksum covers those of all files, so it identifies the content of the export. */
export interface CheckedManifest {
  readonly manifest: Manifest
  readonly checksum: string
}

export const pathOfTable = (folder: string, name: string) => join(folder, 'tables', `${name}.jsonl`)
export const pathOfMedia = (folder: string, key: string) => join(folder, 'media', key)
/** In the format of `sha256sum`. */
export const pathOfMediaList = (folder: string) => join(folder, 'media.sha256')
const pathOfManifest = (folder: string) => join(folder, 'manifest.json')

/** Written last: a folder without it is not a complete export. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<CheckedManifest> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  await writeFile(pathOfManifest(folder), text, { flag: 'wx', mode: 0o600 })
  return { manifest, checksum: sha256(text) }
}

/** @throws Invalid */
export async function readManifest(folder: string): Promise<CheckedManifest> {
  const text = await readFile(pathOfManifest(folder), 'utf8').catch((error: unknown) => {
    const { code } = error as { code?: unknown }
    if (code === 'ENOTDIR')
      throw semanticError('folder', `${folder} is no folder. Extract the export first: tar -xf ${folder}`)
    if (code !== 'ENOENT') throw error
    throw semanticError('folder', `${folder} is not a complete export: it has no manifest.json.`)
  })
  const manifest = parse(text)
  if (!manifest) throw semanticError('folder', `${pathOfManifest(folder)} is not the manifest of an export.`)
  return { manifest, checksum: sha256(text) }
}

function parse(text: string): Manifest | null {
  try {
    const manifest: unknown = JSON.parse(text)
    if (!Value.Check(Manifest, manifest)) return null
    const names = manifest.tables.map(({ name }) => name).join()
    return names === exportedTables.map(({ name }) => name).join() ? manifest : null
  } catch {
    return null
  }
}

const sha256 = (text: string) => hash('sha256', text, 'hex')
