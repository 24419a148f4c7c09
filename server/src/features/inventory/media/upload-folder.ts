import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Creates a folder for one upload. It is removed with its files when the upload ends, successful or not. */
export async function openUploadFolder(uploads: string): Promise<{ path: string } & AsyncDisposable> {
  await mkdir(uploads, { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(uploads, 'upload-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

const hourMs = 3_600_000

/** Removes folders that killed processes left. A folder younger than an hour may be in use by another process. */
export async function removeOldFolders(uploads: string): Promise<void> {
  const names = await readdir(uploads).catch(() => [])
  for (const name of names) {
    const path = join(uploads, name)
    const ageMs = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (ageMs > hourMs) await rm(path, { recursive: true, force: true })
  }
}
