import { connect } from 'node:net'
import { connect as connectSafely } from 'node:tls'

/** Signs in and pings in Redis's own words; a client library would try again where the doctor wants to know. */
export function pingRedis(address: string, timeoutMs: number): Promise<number> {
  const { hostname, port, protocol, username, password } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const to = { host, port: Number(port || 6379) }
  const socket = protocol === 'rediss:' ? connectSafely({ ...to, servername: host }) : connect(to)
  const auth = password
    ? ['AUTH', ...(username ? [decodeURIComponent(username)] : []), decodeURIComponent(password)]
    : []
  const startedAt = performance.now()
  return new Promise<number>((resolve, reject) => {
    let heard = ''
    socket.setTimeout(timeoutMs, () => reject(new Error('it does not answer')))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('it closed the connection')))
    socket.on('data', (text) => {
      heard += text
      const refusal = /^-(.*)\r\n/m.exec(heard)
      if (refusal) reject(new Error(`it refuses: ${refusal[1]}`))
      if (heard.includes('+PONG')) resolve(Math.round(performance.now() - startedAt))
    })
    if (auth.length > 0) socket.write(spell(auth))
    socket.write(spell(['PING']))
  }).finally(() => socket.destroy())
}

const spell = (words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
