import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The fault of a proxy in front of a part. */
export type Fault =
  | { mode: 'pass' }
  | { mode: 'delay'; ms: number }
  /** Nothing arrives, neither bytes nor that the other side has hung up, until the fault is over. */
  | { mode: 'blackhole' }
  | { mode: 'trickle'; bytesPerSecond: number }
  /** The request arrives; of its answer nothing does, and the connection is gone. */
  | { mode: 'drop_reply'; sent?: RegExp; reply?: RegExp; times?: number }
  | { mode: 'reset' }
  | { mode: 'refuse' }

type Direction = 'to_server' | 'to_client'

/** A way to a part that can be disturbed while it is used. */
export interface FaultProxy extends AsyncDisposable {
  /** The address that was given, by way of here. */
  readonly url: string
  /** Replaces the fault of the direction, or of both. `reset` and `refuse` always mean both. */
  set(fault: Fault, direction?: Direction): Promise<void>
  /** Open connections become half-open: nothing is transferred any more. */
  sever(): void
  /** How many connections were opened so far, and how many are open. */
  counts(): { opened: number; open: number }
  /** How many answers were dropped since the fault was set. */
  dropped(): number
}

interface Line {
  readonly near: Socket
  readonly far: Socket
  severed: boolean
  /** The end of what was sent; kept while answers to some of it are to be dropped. */
  sent: string
}

const defaultPorts: Record<string, number> = {
  'postgresql:': 5432,
  'postgres:': 5432,
  'redis:': 6379,
  'smtp:': 25,
}
const pass: Fault = { mode: 'pass' }
const rememberedBytes = 16_384

export async function startFaultProxy(to: string): Promise<FaultProxy> {
  const target = new URL(to)
  const port = Number(target.port) || (defaultPorts[target.protocol] ?? 80)
  const lines = new Set<Line>()
  const faults: Record<Direction, Fault> = { to_server: pass, to_client: pass }
  let changed = Promise.withResolvers<void>()
  let opened = 0
  let dropped = 0
  let isClosed = false

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    near.on('error', () => {})
    if (faults.to_server.mode === 'reset') return void near.resetAndDestroy()
    opened++
    const far = connect({ port, host: target.hostname, allowHalfOpen: true, noDelay: true })
    far.on('error', () => {})
    const line: Line = { near, far, severed: false, sent: '' }
    lines.add(line)
    void Promise.all([carry(line, 'to_server'), carry(line, 'to_client')]).then(() => {
      near.destroy()
      far.destroy()
      lines.delete(line)
    })
  })
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }

  async function carry(line: Line, direction: Direction): Promise<void> {
    const [source, sink] = direction === 'to_server' ? [line.near, line.far] : [line.far, line.near]
    try {
      for await (const chunk of source.iterator({ destroyOnReturn: false }))
        await deliver(line, direction, chunk, sink)
      await passage(line, direction)
      sink.end()
    } catch {
      await passage(line, direction)
      sink.resetAndDestroy()
    }
  }

  async function deliver(line: Line, direction: Direction, chunk: Buffer, sink: Socket): Promise<void> {
    if (direction === 'to_server' && faults.to_client.mode === 'drop_reply')
      line.sent = (line.sent + chunk.toString('latin1')).slice(-rememberedBytes - chunk.length)
    for (let rest = chunk; rest.length > 0;) {
      const most = await passage(line, direction)
      const fault = faults[direction]
      if (fault.mode === 'drop_reply' && direction === 'to_client' && isToDrop(fault, line, rest)) {
        dropped++
        line.near.resetAndDestroy()
        line.far.resetAndDestroy()
        return
      }
      const taken = rest.subarray(0, most)
      rest = rest.subarray(taken.length)
      if (!sink.writable) throw new Error('The other side has hung up.')
      if (!sink.write(taken)) await Promise.race([once(sink, 'drain'), once(sink, 'close')])
    }
  }

  function isToDrop(fault: Fault & { mode: 'drop_reply' }, line: Line, reply: Buffer): boolean {
    if (dropped >= (fault.times ?? Infinity)) return false
    return (fault.sent?.test(line.sent) ?? true) && (fault.reply?.test(reply.toString('latin1')) ?? true)
  }

  /** Waits as the fault says, and tells how many bytes may go on at once. */
  async function passage(line: Line, direction: Direction): Promise<number> {
    for (;;) {
      const fault = faults[direction]
      if (isClosed || (!line.severed && (fault.mode === 'pass' || fault.mode === 'drop_reply')))
        return Infinity
      if (line.severed || fault.mode === 'blackhole') {
        await changed.promise
        continue
      }
      if (fault.mode === 'delay') await Promise.race([sleep(fault.ms), changed.promise])
      if (fault.mode === 'trickle') {
        await Promise.race([sleep(100), changed.promise])
        return Math.max(1, Math.round(fault.bytesPerSecond / 10))
      }
      return Infinity
    }
  }

  const cutAll = () => {
    for (const { near, far } of lines) for (const socket of [near, far]) socket.resetAndDestroy()
  }
  const tellChanged = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  await listen(0)
  const ownPort = (server.address() as AddressInfo).port
  const url = new URL(to)
  url.hostname = '127.0.0.1'
  url.port = String(ownPort)
  return {
    url: to.endsWith('/') ? url.href : url.href.replace(/\/$/, ''),
    counts: () => ({ opened, open: lines.size }),
    dropped: () => dropped,
    sever() {
      for (const line of lines) line.severed = true
    },
    async set(fault, direction) {
      const isOfAll = fault.mode === 'reset' || fault.mode === 'refuse'
      dropped = 0
      for (const one of ['to_server', 'to_client'] as const)
        if (isOfAll || direction === undefined || direction === one) faults[one] = fault
      if (fault.mode === 'refuse' && server.listening) server.close()
      if (isOfAll) cutAll()
      if (fault.mode !== 'refuse' && !server.listening) await listen(ownPort)
      tellChanged()
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      server.close()
      cutAll()
      tellChanged()
    },
  }
}
