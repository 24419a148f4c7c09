import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from '#db/scope.ts'
import { readPlaces, type Place } from './feed-queries.ts'

export interface Page {
  readonly events: readonly { readonly json: string }[]
  /** Where the next page begins; always, because more may come. */
  readonly next: Place
  readonly hasMore: boolean
}

export interface Wish {
  readonly after: Place
  readonly limit: number
  readonly types: readonly string[] | null
  readonly waitMs: number
  /** The reader has gone, or the server is about to. */
  readonly signal: AbortSignal
}

const mostLooked = 2_000
const lookEveryMs = 500
/** Who waits beyond these is answered at once, with nothing. */
const mostWaiting = 200

let waiting = 0

/** Reads the events behind a place; when there are none yet, looks again until the wait is over. */
export async function readFeed(scope: Scope, { after, limit, types, waitMs, signal }: Wish): Promise<Page> {
  const until = Date.now() + waitMs
  let page = await readOnce(scope, after, limit, types)
  if (!isEmpty(page) || waitMs === 0 || waiting >= mostWaiting) return page
  waiting++
  try {
    while (isEmpty(page) && Date.now() < until && !signal.aborted) {
      await sleep(Math.min(lookEveryMs, until - Date.now()), undefined, { signal }).catch(() => {})
      if (!signal.aborted) page = await readOnce(scope, page.next, limit, types)
    }
    return page
  } finally {
    waiting--
  }
}

const isEmpty = ({ events, hasMore }: Page) => events.length === 0 && !hasMore

async function readOnce(
  scope: Scope,
  after: Place,
  limit: number,
  types: readonly string[] | null,
): Promise<Page> {
  const scan = types ? mostLooked : limit + 1
  const { events, last, looked } = await readPlaces(scope, after, { types, limit: limit + 1, scan })
  if (events.length > limit) {
    const shown = events.slice(0, limit)
    return { events: shown, next: shown.at(-1)!, hasMore: true }
  }
  return { events, next: last ?? after, hasMore: looked === scan }
}
