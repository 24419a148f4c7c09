import { readdirSync, readFileSync } from 'node:fs'
import autocannon from 'autocannon'
import type { NodeProcess } from '../server/test/node-process.ts'
import type { BenchWorld } from './bench-world.ts'
import type { Call } from './ceiling-operations.ts'
import { processorUs } from './side-by-side.ts'

/** The concurrent connections of each slice. */
export const connections = 16

export interface Slice {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Processor time for one request, microseconds. */
  readonly nodeUs: number
  readonly postgresUs: number
}

interface SliceOptions {
  process: NodeProcess
  headers: Record<string, string>
  callAt: (at: number) => Call
  postgres: () => number
  seconds: number
  rate?: number
}

let calls = 0

/** Sends requests to a server for some seconds. */
export async function runSlice({
  process,
  headers,
  callAt,
  postgres,
  seconds,
  rate,
}: SliceOptions): Promise<Slice> {
  const before = { node: processorUs(process.pid), postgres: postgres() }
  const result = await autocannon({
    ...{
      url: process.facts.url!,
      connections,
      duration: seconds,
      ...(rate && { overallRate: Math.ceil(rate) }),
    },
    requests: [
      {
        setupRequest: (request) => {
          const { method, path, body } = callAt(calls++)
          const content = body && { 'content-type': 'application/json' }
          return {
            ...request,
            method,
            path,
            headers: { ...headers, ...content },
            body: body && JSON.stringify(body),
          }
        },
      },
    ],
  })
  const answered = result['2xx']
  if (result.non2xx > answered / 100 || answered === 0)
    throw new Error(
      `${result.non2xx} of ${answered + result.non2xx} requests failed: ${JSON.stringify(result.statusCodeStats)}`,
    )
  return {
    perSecond: answered / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    nodeUs: (processorUs(process.pid) - before.node) / answered,
    postgresUs: (postgres() - before.postgres) / answered,
  }
}

/** Reads the processor time of the server and its backends. */
export function postgresOf({ postgresPid }: BenchWorld): () => number {
  const parentOf = (pid: string) =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[1]
  return () => {
    let sum = processorUs(postgresPid)
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      try {
        if (parentOf(pid) === String(postgresPid)) sum += processorUs(Number(pid))
      } catch {
        // It has ended.
      }
    return sum
  }
}
