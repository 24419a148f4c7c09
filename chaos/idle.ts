import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Connections that have asked once, and are kept without asking again. */
export interface Idle {
  /** How many of them are open still. */
  open(): number
  close(): void
}

/** Opens them a few at a time. @throws when one is refused, closed or answered with a failure. */
export async function sitIdle(url: string, count: number, headers: Record<string, string>): Promise<Idle> {
  const sockets: Socket[] = []
  const { hostname, port, host } = new URL(url)
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const ask = `GET /problems/forbidden HTTP/1.1\r\n${lines.join('')}\r\n`
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      sockets.push(socket)
      socket.once('error', reject).once('close', () => reject(new Error('A connection was closed.')))
      socket.once('connect', () => socket.write(ask))
      let answer = ''
      socket.on('data', (chunk: Buffer) => {
        answer += chunk.toString('latin1')
        if (answer.length > 15 && !answer.startsWith('HTTP/1.1 200'))
          reject(new Error(`A connection was answered: ${answer.slice(0, 40)}`))
        if (answer.endsWith('</html>')) resolve()
      })
    })
  const atOnce = 100
  for (let made = 0; made < count; made += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, count - made) }, one))
  return {
    open: () => sockets.filter((socket) => socket.readyState === 'open').length,
    close: () => sockets.forEach((socket) => socket.destroy()),
  }
}

/** Asks at a steady pace, whether or not the last answer has come. */
export async function askSteadily<Answer>(
  perSecond: number,
  seconds: number,
  ask: () => Promise<Answer>,
): Promise<Answer[]> {
  const asked: Promise<Answer>[] = []
  const began = performance.now()
  while (asked.length < perSecond * seconds) {
    const due = Math.floor(((performance.now() - began) / 1_000) * perSecond)
    while (asked.length < Math.min(due, perSecond * seconds)) asked.push(ask())
    await sleep(5)
  }
  return await Promise.all(asked)
}
