import { readFile, rename, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** A map of HAProxy: a file that it reads when it starts, and the same in its memory. */
export interface RouterMap {
  /** Its file, as the configuration of HAProxy names it. */
  readonly path: string
  /** The sockets of all HAProxy processes that use it: paths, or `host:port`. */
  readonly sockets: readonly string[]
}

/** Sets the value of keys in all processes, and in the file when it is on this machine. Can be repeated. */
export async function setInMap(
  { path, sockets }: RouterMap,
  keys: readonly string[],
  value: string,
): Promise<void> {
  for (const socket of sockets) for (const key of keys) await setInProcess({ path, socket }, key, value)
  const before = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error
  })
  if (before === undefined) return
  const others = before.split('\n').filter((line) => line !== '' && !keys.includes(line.split(/\s/)[0]!))
  // Renamed, so that HAProxy never reads half of it.
  await writeFile(`${path}.new`, [...others, ...keys.map((key) => `${key} ${value}`), ''].join('\n'))
  await rename(`${path}.new`, path)
}

async function setInProcess({ path, socket }: { path: string; socket: string }, key: string, value: string) {
  const refused = await send(socket, `set map ${path} ${key} ${value}`)
  if (refused) await send(socket, `add map ${path} ${key} ${value}`)
  const found = await send(socket, `get map ${path} ${key}`)
  if (!found.includes(`value="${value}"`)) throw new Error(`HAProxy at ${socket} did not take it: ${found}`)
}

/** HAProxy closes the connection after its answer. */
async function send(socket: string, command: string): Promise<string> {
  const [, host, port] = /^([^/]+):(\d+)$/.exec(socket) ?? []
  const connection = host ? connect(Number(port), host) : connect(socket)
  connection.setTimeout(5_000, () => connection.destroy(new Error(`HAProxy at ${socket} does not answer.`)))
  connection.write(`${command}\n`)
  return (await text(connection)).trim()
}
