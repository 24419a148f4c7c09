import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { faultMigration, type Fault } from './fault.ts'
import { mutate } from './mutation.ts'

export interface RepositoryCopy {
  readonly root: string
  /** Plants the fault; returns a function that reverts it. */
  plant(fault: Fault): () => void
}

/** Copies the working tree without files that Git ignores. Its packages are those of the original. */
export function copyRepository(original: string, root: string): RepositoryCopy {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: original,
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
  })
  const paths = listed.split('\0').filter((path) => path !== '' && isFile(join(original, path)))
  for (const folder of new Set(paths.map(dirname))) mkdirSync(join(root, folder), { recursive: true })
  for (const path of paths) cpSync(join(original, path), join(root, path))
  for (const workspace of ['', 'server', 'console', 'client', 'sandbox']) {
    const packages = join(original, workspace, 'node_modules')
    if (existsSync(packages)) symlinkSync(packages, join(root, workspace, 'node_modules'))
  }
  return {
    root,
    plant(fault) {
      const changed = [...faultyFiles(fault, root)]
      for (const [path, text] of changed) writeFileSync(join(root, path), text)
      return () => {
        for (const [path] of changed)
          if (paths.includes(path)) cpSync(join(original, path), join(root, path))
          else rmSync(join(root, path))
      }
    },
  }
}

/** The files that the fault changes or adds, with their faulty text. @throws Error when it cannot be planted */
export function faultyFiles(fault: Fault, root: string): Map<string, string> {
  if ('sql' in fault) return new Map([[faultMigration, fault.sql]])
  const files = new Map<string, string>()
  for (const mutation of fault.code) {
    const source = files.get(mutation.file) ?? readFileSync(join(root, mutation.file), 'utf8')
    files.set(mutation.file, mutate(source, mutation))
  }
  return files
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
