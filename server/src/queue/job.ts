import type { Scope, Transaction } from '#db/scope.ts'

/** A kind of background work. Declared where it is asked for; handled in the worker. */
export interface Job<Payload> {
  /** What ends with `.*` stands for every name that begins so: one handler works them all. */
  readonly name: string
  readonly queue: QueueName
  /** Asks with the same key are one while the first still waits. */
  readonly key?: (payload: Payload) => string
  /** The thing outside that the work waits for, such as a webhook endpoint: one that times out gets one place. */
  readonly resource?: (payload: Payload) => string | undefined
}

export const queueNames = ['sync', 'payments', 'notifications', 'webhooks', 'upkeep'] as const
export type QueueName = (typeof queueNames)[number]

/**
 * Whose new jobs wake the workers. A notification wakes every listening connection of the database, that of each API
 * process included, and commits that carry one wait for each other: an eighth of what a booking costs. The other queues
 * are looked at within half a second, which nobody notices of a mail.
 */
export const wakingQueues: ReadonlySet<QueueName> = new Set(['sync', 'payments', 'webhooks'])

export const job = <Payload extends object>(declaration: Job<Payload>): Job<Payload> => declaration

/** One of the jobs that a name with `.*` stands for: `pms.*` with `booking.created` is `pms.booking.created`. */
export const oneOfThem = <Payload extends object>(family: Job<Payload>, rest: string): Job<Payload> => ({
  ...family,
  name: family.name.replace(/\*$/, () => rest),
})

/** What a handler knows of its run. */
export interface Run {
  readonly jobId: string
  /** Ends when the worker is told to stop, or another worker has taken the job over. */
  readonly signal: AbortSignal
  /** Whether the resource of the job timed out when this process last asked it. */
  readonly isSlow: boolean
  /** Says whether the resource of the job answered in time. A job that did not ask it reports nothing. */
  reportAnswer(inTime: boolean): void
}

export interface Handler {
  readonly job: Job<never>
  readonly run: (scope: Scope, payload: object, run: Run) => Promise<void>
}

export const handle = <Payload extends object>(
  declaration: Job<Payload>,
  run: (scope: Scope, payload: Payload, run: Run) => Promise<void>,
): Handler => ({ job: declaration, run: run as Handler['run'] })

/** What travels with a payload: whose work it is, and the trace it belongs to. */
export interface Envelope {
  readonly job: string
  readonly org_id: string
  readonly account_id: string | null
  readonly traceparent: string | null
  readonly payload: object
}

/** One attempt of a job, as a worker has claimed it. */
export interface ClaimedJob {
  readonly id: string
  readonly name: string
  readonly data: Envelope
  readonly retryCount: number
  readonly expireInSeconds: number
  /** The organization, and the resource. */
  readonly groupId: string | null
  readonly groupTier: string | null
}

export interface Asked<Payload> {
  readonly payload: Payload
  /** Not before this time of the database's clock; at once when absent. */
  readonly at?: Date | null
  /** Not before so much time has passed: what to say where the time is reckoned here, and our clock may be wrong. */
  readonly afterMs?: number
  readonly id?: string
}

/**
 * Puts jobs into the transaction: they exist if, and only if, it commits. One statement, however many.
 * A delayed job waits beside others with the same key and another time, because one that waits for long must
 * not swallow one that is due soon; whichever runs first does the work.
 */
export async function enqueue<Payload extends object>(
  transaction: Transaction,
  { name, queue, key, resource }: Job<Payload>,
  asked: readonly Asked<Payload>[],
): Promise<void> {
  if (asked.length === 0) return
  const { orgId, accountId, traceparent, outbox } = transaction
  await outbox.put(
    transaction.connection,
    queue,
    asked.map(({ payload, at, afterMs, id }) => {
      const time = at ? slotOf(at) : null
      return {
        id,
        startAfter:
          afterMs === undefined ? (time?.toISOString() ?? null) : `${Math.round(afterMs)} milliseconds`,
        key: key && keyOf(name, key(payload), afterMs === undefined ? time : new Date(Date.now() + afterMs)),
        orgId,
        resource: resource?.(payload),
        data: { job: name, org_id: orgId, account_id: accountId, traceparent, payload } satisfies Envelope,
      }
    }),
  )
}

/** Workers look for what is due at each whole slot of the clock: due in between is due at the next, together. */
export const slotMs = 50
const slotOf = (at: Date) => new Date(Math.ceil(at.getTime() / slotMs) * slotMs)

/** The job that waits for this payload to be worked at once. */
export const waitingJob = <Payload extends object>(
  { outbox, connection }: Transaction,
  { name, queue, key }: Job<Payload>,
  payload: Payload,
): Promise<string | undefined> =>
  key ? outbox.waiting(connection, queue, keyOf(name, key(payload), null)) : Promise.resolve(undefined)

const keyOf = (name: string, key: string, at: Date | null | undefined) =>
  `${name} ${key}${at ? ` at ${at.toISOString()}` : ''}`
