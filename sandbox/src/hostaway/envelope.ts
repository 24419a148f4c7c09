/** What the vendor answers: everything in one envelope, with the reason where the result would be. */
export type Reply = { status: number; body: unknown; headers?: Record<string, string> }

/** A call that fails. The vendor spells the reason `result`, and in a few places `message`. */
export class Fail extends Error {
  readonly status: number
  readonly member: 'result' | 'message'

  constructor(status: number, text: string, member: 'result' | 'message' = 'result') {
    super(text)
    this.status = status
    this.member = member
  }
}

export const success = (result: unknown): Reply => ({ status: 200, body: { status: 'success', result } })

export const failure = ({ status, member, message }: Fail): Reply => ({
  status,
  body: { status: 'fail', [member]: message },
})

export const tooMany = () =>
  new Fail(
    429,
    'This error occurs because a server detects that your application has exceeded the rate limits or has ' +
      'made too many requests in a given period of time.',
    'message',
  )

/** One page of a list; `count` is how many there are in all. */
export function page(all: readonly object[], query: URLSearchParams, defaultLimit = 100): Reply {
  const limit = wholeNumber(query, 'limit') ?? defaultLimit
  const offset = wholeNumber(query, 'offset') ?? 0
  return {
    status: 200,
    body: {
      status: 'success',
      result: all.slice(offset, offset + limit),
      limit,
      offset,
      count: all.length,
      page: limit === 0 ? 1 : Math.floor(offset / limit) + 1,
      totalPages: limit === 0 ? 1 : Math.max(1, Math.ceil(all.length / limit)),
    },
  }
}

/** A parameter that is a whole number; an empty one counts as not given. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name)
  if (given === null || given === '') return undefined
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw new Fail(400, `Parameter "${name}" must be an integer.`)
}
