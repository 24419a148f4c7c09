import { setTimeout as sleep } from 'node:timers/promises'
import type { OutgoingRequest, RequestOutcome } from '../server/test/caller.ts'
import type { Cluster } from './cluster.ts'
import {
  bookingWorkload,
  messageWorkload,
  paymentWorkload,
  priceWorkload,
  readWorkload,
  steadyWorkload,
} from './workloads.ts'
import { isFailure, type Answered, type LoadClient } from './load-client.ts'
import { openLedger, type Ledger } from './ledger.ts'
import type { Fixtures } from './fixtures.ts'

/** Operators, guests and a PMS that write all the time, and record what was acknowledged. */
export interface Load {
  ledger: Ledger
  tally: Tally
  /** Starts no new work; resolves when the outcome of every request is known, or after the timeout. */
  stop(timeoutSeconds?: number): Promise<void>
}

/** Counts the outcomes of requests. */
export interface Tally {
  sent: number
  answered: number
  /** Refused connections. */
  refused: number
  /** Requests without a response. */
  lost: number
  /** Responses with 421, 429 or 5xx, by status. */
  failures: Map<number, number>
  slowestMs: number
  /** The first failed requests. */
  samples: string[]
  onOutcome?: ((request: OutgoingRequest, outcome: RequestOutcome) => void) | undefined
}

export interface WorkloadCounts {
  bookings: number
  prices: number
  messages: number
  payments: number
  reads: number
  steady: number
}

export interface LoadOptions {
  workloads?: Partial<WorkloadCounts>
  /** The mean pause of a workload between two steps. */
  paceMs?: number
  /** The requests of a steady workload. */
  perSecond?: number
  /** Prefix of the idempotency keys, unique for each load of a cluster. */
  name?: string
  onOutcome?: Tally['onOutcome']
}

const defaultCounts: WorkloadCounts = {
  bookings: 4,
  prices: 3,
  messages: 2,
  payments: 2,
  reads: 1,
  steady: 0,
}
const workloads: Record<keyof WorkloadCounts, (client: LoadClient) => Promise<void>> = {
  bookings: bookingWorkload,
  prices: priceWorkload,
  messages: messageWorkload,
  payments: paymentWorkload,
  reads: readWorkload,
  steady: steadyWorkload,
}

export function startLoad(cluster: Cluster, fixtures: Fixtures, options: LoadOptions = {}): Load {
  const { workloads: counts = {}, paceMs = 40, perSecond = 100, name = 'load', onOutcome } = options
  const ledger = openLedger(name)
  const tally: Tally = {
    ...{ sent: 0, answered: 0, refused: 0, lost: 0, slowestMs: 0, samples: [] },
    failures: new Map(),
    onOutcome,
  }
  let isStopping = false
  let endsAt = Infinity
  const running: Promise<void>[] = []
  for (const [kind, count] of Object.entries({ ...defaultCounts, ...counts }) as [
    keyof WorkloadCounts,
    number,
  ][])
    for (let at = 0; at < count; at++) {
      const sender = openSender(cluster, tally, at, () => performance.now() > endsAt)
      running.push(
        workloads[kind]({
          ...{
            cluster,
            fixtures,
            ledger,
            index: at,
            name: `${name}-${kind}-${at}`,
            perSecond,
            isStopping: () => isStopping,
          },
          pause: () => sleep(paceMs * (0.5 + Math.random())),
          sendOnce: sender.send,
          retryUntilAnswered: (request) => retryUntilAnswered(sender, ledger, request),
        }).catch((error: unknown) => void ledger.unexpected.push((error as Error).message)),
      )
    }
  return {
    ledger,
    tally,
    async stop(timeoutSeconds = 60) {
      isStopping = true
      endsAt = performance.now() + timeoutSeconds * 1_000
      await Promise.all(running)
    },
  }
}

interface RequestSender {
  send(request: OutgoingRequest): Promise<RequestOutcome>
  isTooLate(): boolean
}

/** Uses one API process as long as it responds, as clients with kept connections do. */
function openSender({ clients }: Cluster, tally: Tally, at: number, isTooLate: () => boolean): RequestSender {
  let client = at % clients.length
  return {
    isTooLate,
    async send(request) {
      const outcome = await clients[client]!.attempt(request)
      count(tally, request, outcome)
      if (outcome.kind !== 'answered') client = (client + 1) % clients.length
      return outcome
    },
  }
}

function count(tally: Tally, request: OutgoingRequest, outcome: RequestOutcome): void {
  tally.sent++
  tally.slowestMs = Math.max(tally.slowestMs, outcome.ms)
  if (outcome.kind === 'answered') tally.answered++
  else tally[outcome.kind]++
  const isFailed = outcome.kind === 'answered' && isFailure(outcome)
  if (isFailed) tally.failures.set(outcome.status, (tally.failures.get(outcome.status) ?? 0) + 1)
  // Of the frequent ones, those with status 503, fewer are kept.
  const maxSamples = isFailed && outcome.status === 503 ? 10 : 20
  if ((isFailed || outcome.kind === 'lost') && tally.samples.length < maxSamples)
    tally.samples.push(
      `${request.method} ${request.path}: ${outcome.kind === 'answered' ? `${outcome.status} ${outcome.text.slice(0, 200)}` : outcome.why}`,
    )
  tally.onOutcome?.(request, outcome)
}

/** Repeats a request until its outcome is known. Until then the ledger lists it as unknown. */
async function retryUntilAnswered(
  asking: RequestSender,
  ledger: Ledger,
  request: OutgoingRequest,
): Promise<Answered | undefined> {
  const key = Symbol()
  for (let pause = 50; ; pause = Math.min(pause * 2, 500)) {
    const outcome = await asking.send(request)
    if (outcome.kind === 'answered' && !isFailure(outcome) && !isInProgress(outcome)) {
      ledger.unknown.delete(key)
      return outcome
    }
    ledger.unknown.set(key, `${request.method} ${request.path} ${JSON.stringify(request.headers ?? {})}`)
    if (asking.isTooLate()) return undefined
    await sleep(pause)
  }
}

const isInProgress = ({ status, body }: Answered) =>
  status === 409 && (body as { code?: string } | null)?.code === 'idempotency-in-progress'
