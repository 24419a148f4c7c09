import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { applyFault, type Fault } from './fault.ts'

export interface RepositoryCopy {
  readonly root: string
  /** Applies the fault; returns a function that reverts it. */
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
      const path = join(root, fault.file)
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, applyFault(fault, text))
      return () => writeFileSync(path, text)
    },
  }
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
