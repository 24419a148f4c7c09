/** What can go wrong, in our words. The two doors (HTTP and queue) translate; nobody catches on the way. */

/** One fault inside a request body, query or path: where, which kind, in words. */
export interface Fault {
  pointer: string
  code: string
  message: string
}

export abstract class Failure extends Error {
  /** The last segment of the problem type, from the catalogue in `http/catalogue.ts`. */
  readonly code: string
  readonly faults: Fault[]
  readonly members: Record<string, unknown>
  /** When the same may be asked again, where that is known. */
  readonly retryAfter: Date | null

  constructor(
    code: string,
    message: string,
    more: {
      faults?: Fault[]
      members?: Record<string, unknown>
      retryAfter?: Date | null
      cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = new.target.name
    this.code = code
    this.faults = more.faults ?? []
    this.members = more.members ?? {}
    this.retryAfter = more.retryAfter ?? null
  }
}

/** No such record for this caller; another organization's record looks just the same. */
export class NotFound extends Failure {
  constructor(thing: string, id: string, message = `There is no ${thing} with the id ${id}.`) {
    super('not-found', message)
  }
}

/** The record is in a state that does not allow this. */
export class Conflict extends Failure {}

/** The message itself cannot be accepted: its form is wrong. */
export class Malformed extends Failure {}

/** Well formed, but wrong against other fields or stored state. */
export class Invalid extends Failure {
  constructor(
    code:
      | 'semantic-error'
      | 'reference-not-found'
      | 'idempotency-key-reused'
      | 'price-below-minimum'
      | 'stay-in-the-past',
    faults: Fault[],
    members: Record<string, unknown> = {},
  ) {
    super(code, faults.map((fault) => fault.message).join(' '), { faults, members })
  }
}

/** A precondition that the caller named does not hold. */
export class Stale extends Failure {
  constructor() {
    super('precondition-failed', 'The record has changed since you read it: read it again, then repeat.')
  }
}

export class Unauthenticated extends Failure {
  constructor(message: string) {
    super('unauthorized', message)
  }
}

/** The sender of a message has not proved who it is. */
export class Unproven extends Failure {
  constructor(message: string) {
    super('invalid-signature', message)
  }
}

export class Forbidden extends Failure {
  constructor(message: string, code: 'forbidden' | 'admin-required' | 'identity-conflict' = 'forbidden') {
    super(code, message)
  }
}

/** A part that we need is away; the same call may succeed later. */
export class Unavailable extends Failure {
  constructor(message: string, cause?: unknown) {
    super('unavailable', message, { cause })
  }
}

/** The PMS was asked for the caller: it could not answer, or it said no. */
export class PmsProblem extends Failure {}

/** A reference in a body that names nothing the caller can see. */
export const unknownReference = (field: string, thing: string) =>
  new Invalid('reference-not-found', [
    {
      pointer: `/${field}`,
      code: 'reference_not_found',
      message: `${field} names no ${thing} that you can see.`,
    },
  ])

export const semanticError = (field: string, message: string, code = 'invalid') =>
  new Invalid('semantic-error', [{ pointer: `/${field}`, code, message }])

/** A message that did not leave: why, in our words. Never carries an address or a credential. */
export class Undelivered extends Error {
  readonly code: string
  /** Whether the same may succeed later. */
  readonly retryable: boolean

  constructor(code: string, message: string, retryable: boolean) {
    super(message)
    this.name = 'Undelivered'
    this.code = code
    this.retryable = retryable
  }
}
