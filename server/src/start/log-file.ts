/** The log of one child: a file of limited size and one older file. */
import * as fs from 'node:fs'

const maxBytes = 20_000_000

export function openLogFile(path: string) {
  rotate(path)
  // Children open the file for appending, so it can be truncated while they write.
  const timer = setInterval(() => rotate(path), 30_000).unref()
  return {
    path,
    open: () => fs.openSync(path, 'a', 0o600),
    lastLines: (count: number) => readEnd(path).trimEnd().split('\n').slice(-count).join('\n'),
    close: () => clearInterval(timer),
  }
}

function rotate(path: string) {
  if (!fs.existsSync(path) || fs.statSync(path).size < maxBytes) return
  const older = `${path}.1`
  try {
    fs.copyFileSync(path, older)
    fs.truncateSync(path)
  } catch {
    // A full disk must not end the supervisor, nor a part of the copy take what is left of it. It is tried again later.
    fs.rmSync(older, { recursive: true, force: true })
  }
}

function readEnd(path: string) {
  if (!fs.existsSync(path)) return ''
  const file = fs.openSync(path, 'r')
  const { size } = fs.fstatSync(file)
  const bytes = Buffer.alloc(Math.min(size, 8_192))
  fs.readSync(file, bytes, 0, bytes.length, size - bytes.length)
  fs.closeSync(file)
  return bytes.toString('utf8')
}
