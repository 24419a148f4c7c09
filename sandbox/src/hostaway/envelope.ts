import { ReplyError } from '../http/request.ts'

/** A call that fails. The vendor puts the reason in `result`, and in a few places in `message`. */
export class ApiError extends ReplyError {
  constructor(status: number, text: string, member: 'result' | 'message' = 'result') {
    super(status, text, { status: 'fail', [member]: text })
  }
}

/** A call with a valid token. */
export interface ApiCall {
  accountId: number
  query: URLSearchParams
  /** The number in the path. */
  id: number
  /** Throws if the body cannot be read. */
  body: () => unknown
}

export const success = (result: unknown) => ({ status: 'success', result })

export const tooManyRequests = () =>
  new ApiError(
    429,
    'This error occurs because a server detects that your application has exceeded the rate limits or has ' +
      'made too many requests in a given period of time.',
    'message',
  )

/** One page of a list; `count` is how many there are in all. */
export function page(all: readonly object[], query: URLSearchParams, defaultLimit = 100) {
  const limit = wholeNumber(query, 'limit') ?? defaultLimit
  const offset = wholeNumber(query, 'offset') ?? 0
  return {
    status: 'success',
    result: all.slice(offset, offset + limit),
    limit,
    offset,
    count: all.length,
    page: limit === 0 ? 1 : Math.floor(offset / limit) + 1,
    totalPages: limit === 0 ? 1 : Math.max(1, Math.ceil(all.length / limit)),
  }
}

/** A parameter that is a whole number; an empty one counts as not given. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name)
  if (given === null || given === '') return undefined
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw new ApiError(400, `Parameter "${name}" must be an integer.`)
}
