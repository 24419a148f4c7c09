import { setTimeout as sleep } from 'node:timers/promises'
import type { Asked, Outcome } from './door.ts'
import type { House } from './house.ts'
import { bookingLane, messageLane, paymentLane, priceLane, readLane } from './lanes.ts'
import type { Answered, Laborer } from './laborer.ts'
import { openLedger, type Ledger } from './ledger.ts'
import type { Stock } from './stock.ts'

/** Operators, guests and a PMS that write all the time, and remember what they were told. */
export interface Load {
  ledger: Ledger
  tally: Tally
  /** No more new work; answers when every open question has been answered, or given up on. */
  stop(patienceSeconds?: number): Promise<void>
}

/** What became of the requests. */
export interface Tally {
  asked: number
  answered: number
  /** Connections that nobody took. */
  refused: number
  /** Requests that left and were not answered. */
  lost: number
  /** Answers of 500 and above, and 429, by status. */
  failures: Map<number, number>
  slowestMs: number
  /** A few of each kind, to look into. */
  samples: string[]
  /** Each outcome as it comes. */
  onOutcome?: ((asked: Asked, outcome: Outcome) => void) | undefined
}

export interface Lanes {
  bookings: number
  prices: number
  messages: number
  payments: number
  reads: number
}

export interface LoadOptions {
  lanes?: Partial<Lanes>
  /** A lane rests so long between two pieces of work. */
  paceMs?: number
  /** Names the keys of this load; two loads of one house need two. */
  name?: string
  onOutcome?: Tally['onOutcome']
}

const usual: Lanes = { bookings: 4, prices: 3, messages: 2, payments: 2, reads: 1 }
const works: Record<keyof Lanes, (laborer: Laborer) => Promise<void>> = {
  bookings: bookingLane,
  prices: priceLane,
  messages: messageLane,
  payments: paymentLane,
  reads: readLane,
}

export function startLoad(house: House, stock: Stock, options: LoadOptions = {}): Load {
  const { lanes = {}, paceMs = 40, name = 'load', onOutcome } = options
  const ledger = openLedger(name)
  const tally: Tally = {
    ...{ asked: 0, answered: 0, refused: 0, lost: 0, slowestMs: 0, samples: [] },
    failures: new Map(),
    onOutcome,
  }
  let isOver = false
  let endsAt = Infinity
  const running: Promise<void>[] = []
  for (const [kind, count] of Object.entries({ ...usual, ...lanes }) as [keyof Lanes, number][])
    for (let at = 0; at < count; at++) {
      const asking = openAsking(house, tally, at, () => performance.now() > endsAt)
      running.push(
        works[kind]({
          ...{ house, stock, ledger, at, name: `${name}-${kind}-${at}`, isOver: () => isOver },
          rest: () => sleep(paceMs * (0.5 + Math.random())),
          ask: asking.ask,
          insist: (asked) => insist(asking, ledger, asked),
        }).catch((error: unknown) => void ledger.surprises.push((error as Error).message)),
      )
    }
  return {
    ledger,
    tally,
    async stop(patienceSeconds = 60) {
      isOver = true
      endsAt = performance.now() + patienceSeconds * 1_000
      await Promise.all(running)
    },
  }
}

interface Asking {
  ask(asked: Asked): Promise<Outcome>
  isTooLate(): boolean
}

/** Stays with one API process as long as it answers, as connections that are kept do. */
function openAsking({ doors }: House, tally: Tally, at: number, isTooLate: () => boolean): Asking {
  let door = at % doors.length
  return {
    isTooLate,
    async ask(asked) {
      const outcome = await doors[door]!.ask(asked)
      count(tally, asked, outcome)
      if (outcome.kind !== 'answered') door = (door + 1) % doors.length
      return outcome
    },
  }
}

function count(tally: Tally, asked: Asked, outcome: Outcome): void {
  tally.asked++
  tally.slowestMs = Math.max(tally.slowestMs, outcome.ms)
  if (outcome.kind === 'answered') tally.answered++
  else tally[outcome.kind]++
  if (isFailure(outcome)) tally.failures.set(outcome.status, (tally.failures.get(outcome.status) ?? 0) + 1)
  if ((isFailure(outcome) || outcome.kind === 'lost') && tally.samples.length < 20)
    tally.samples.push(
      `${asked.method} ${asked.path}: ${outcome.kind === 'answered' ? `${outcome.status} ${outcome.text.slice(0, 200)}` : outcome.why}`,
    )
  tally.onOutcome?.(asked, outcome)
}

const isFailure = (outcome: Outcome): outcome is Answered =>
  outcome.kind === 'answered' && (outcome.status >= 500 || outcome.status === 429)

/** An outcome that nobody knows is a state of its own: it is in the ledger until an answer ends it. */
async function insist(asking: Asking, ledger: Ledger, asked: Asked): Promise<Answered | undefined> {
  const mark = Symbol()
  for (let pause = 50; ; pause = Math.min(pause * 2, 500)) {
    const outcome = await asking.ask(asked)
    if (outcome.kind === 'answered' && !isFailure(outcome) && !isRunning(outcome)) {
      ledger.unknown.delete(mark)
      return outcome
    }
    ledger.unknown.set(mark, `${asked.method} ${asked.path} ${JSON.stringify(asked.headers ?? {})}`)
    if (asking.isTooLate()) return undefined
    await sleep(pause)
  }
}

const isRunning = ({ status, body }: Answered) =>
  status === 409 && (body as { code?: string } | null)?.code === 'idempotency-in-progress'
