import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder for one upload, which goes with all that is in it, however the upload ends. */
export async function openFolder(uploads: string): Promise<{ path: string } & AsyncDisposable> {
  await mkdir(uploads, { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(uploads, 'upload-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

const hourMs = 3_600_000

/** What a process that was killed has left; what is younger may be another process's. */
export async function sweepFolders(uploads: string): Promise<void> {
  const names = await readdir(uploads).catch(() => [])
  for (const name of names) {
    const path = join(uploads, name)
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > hourMs) await rm(path, { recursive: true, force: true })
  }
}
