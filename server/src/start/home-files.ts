/** JSON files of the home: written atomically, and never taken for missing when they are damaged. */
import * as fs from 'node:fs'
import { dirname } from 'node:path'

/** A file that exists and cannot be used; the message is a sentence for the operator. */
export class DamagedFile extends Error {}

/** @throws DamagedFile when the file exists and cannot be read or is not JSON */
export function readJson<T>(path: string): T | undefined {
  let text
  try {
    text = fs.readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new DamagedFile(`${path} cannot be read (${code}).`, { cause: error })
  }
  try {
    return JSON.parse(text) as T
  } catch (error) {
    throw new DamagedFile(`${path} is damaged: it is not JSON.`, { cause: error })
  }
}

/** For files that every start writes again: a damaged one counts as missing. */
export function readJsonOrUndefined<T>(path: string): T | undefined {
  try {
    return readJson<T>(path)
  } catch {
    return undefined
  }
}

/** Writes durably; only this user can read the file. */
export function writeJson(path: string, value: object): void {
  writeDurably(path, (unfinished) => fs.renameSync(unfinished, path), value)
}

/** Creates the file atomically: of two processes only one succeeds. @throws Error with the code EEXIST */
export function createJson(path: string, value: object): void {
  writeDurably(
    path,
    (unfinished) => {
      try {
        fs.linkSync(unfinished, path)
      } finally {
        fs.rmSync(unfinished)
      }
    },
    value,
  )
}

function writeDurably(path: string, publish: (unfinished: string) => void, value: object) {
  const unfinished = `${path}.${process.pid}`
  const file = fs.openSync(unfinished, 'w', 0o600)
  fs.writeSync(file, `${JSON.stringify(value, null, 2)}\n`)
  fs.fsyncSync(file)
  fs.closeSync(file)
  publish(unfinished)
  const folder = fs.openSync(dirname(path), 'r')
  fs.fsyncSync(folder)
  fs.closeSync(folder)
}
