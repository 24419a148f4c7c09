/** The errors of the domain. HTTP and the queue translate them; code in between does not catch them. */

/** One error in a request body, query or path. */
export interface FieldError {
  /** A JSON pointer to the member. */
  pointer: string
  code: string
  message: string
}

interface ErrorDetails {
  errors?: FieldError[]
  members?: Record<string, unknown>
  retryAfter?: Date | null
  cause?: unknown
}

export abstract class DomainError extends Error {
  /** A code from `http/problem-types.ts`. */
  readonly code: string
  readonly errors: FieldError[]
  readonly members: Record<string, unknown>
  /** When the request may be repeated, if known. */
  readonly retryAfter: Date | null

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = new.target.name
    this.code = code
    this.errors = details.errors ?? []
    this.members = details.members ?? {}
    this.retryAfter = details.retryAfter ?? null
  }
}

/** The caller can see no such record. A record of another organization gives the same error. */
export class NotFound extends DomainError {
  constructor(resource: string, id: string, message = `There is no ${resource} with the id ${id}.`) {
    super('not-found', message)
  }
}

/** The state of the record does not allow the operation. */
export class Conflict extends DomainError {}

/** The request has the wrong form. */
export class BadRequest extends DomainError {}

/** The request has the right form, but contradicts itself or the stored state. */
export class Invalid extends DomainError {
  constructor(
    code:
      | 'semantic-error'
      | 'reference-not-found'
      | 'idempotency-key-reused'
      | 'price-below-minimum'
      | 'stay-in-the-past',
    errors: FieldError[],
    members: Record<string, unknown> = {},
  ) {
    super(code, errors.map(({ message }) => message).join(' '), { errors, members })
  }
}

/** `If-Match` names another version of the record. */
export class PreconditionFailed extends DomainError {
  constructor() {
    super('precondition-failed', 'The record has changed since you read it. Read it again, then retry.')
  }
}

export class Unauthenticated extends DomainError {
  constructor(message: string) {
    super('unauthorized', message)
  }
}

/** The signature of a webhook message is missing or wrong. */
export class InvalidSignature extends DomainError {
  constructor(message: string) {
    super('invalid-signature', message)
  }
}

export class Forbidden extends DomainError {
  constructor(message: string, code: 'forbidden' | 'admin-required' | 'identity-conflict' = 'forbidden') {
    super(code, message)
  }
}

/** The request names none of the organizations that its token may act for. */
export class OrganizationRequired extends DomainError {
  constructor(message: string, memberships: object[]) {
    super('organization-required', message, { members: { memberships } })
  }
}

/** A dependency is not available; the same request may succeed later. */
export class Unavailable extends DomainError {
  constructor(message: string, cause?: unknown) {
    super('unavailable', message, { cause })
  }
}

/** The PMS could not answer a request that was made for the caller, or rejected it. */
export class PmsError extends DomainError {}

/** A reference in the body to a record that the caller cannot see. */
export const unknownReference = (field: string, resource: string) =>
  new Invalid('reference-not-found', [
    {
      pointer: `/${field}`,
      code: 'reference_not_found',
      message: `There is no ${resource} with the id given in ${field}.`,
    },
  ])

/** A member of the body, or the parameter of a query, that has the wrong form. */
export const validationError = (field: string, message: string, code: string) =>
  new BadRequest('validation-error', message, { errors: [{ pointer: field && `/${field}`, code, message }] })

export const semanticError = (field: string, message: string, code = 'invalid') =>
  new Invalid('semantic-error', [{ pointer: `/${field}`, code, message }])

/** An e-mail or SMS that could not be sent. The message contains no address and no credential. */
export class DeliveryError extends Error {
  readonly code: string
  /** Whether a later attempt may succeed. */
  readonly retryable: boolean

  constructor(code: string, message: string, retryable: boolean) {
    super(message)
    this.name = 'DeliveryError'
    this.code = code
    this.retryable = retryable
  }
}
