import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'

/** Replaces the file whole or not at all; only this user can read it. */
export function writeWhole(path: string, value: object): void {
  const unfinished = `${path}.${process.pid}`
  const file = openSync(unfinished, 'w', 0o600)
  writeSync(file, JSON.stringify(value))
  fsyncSync(file)
  closeSync(file)
  renameSync(unfinished, path)
}
