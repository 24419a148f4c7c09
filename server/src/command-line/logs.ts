/** What happened in the organization: changes of records, syncs, and webhooks. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openApiClient, type ApiOptions } from './api-client.ts'
import type { CommandContext } from './command-context.ts'
import { isAway } from './tail-events.ts'
import { untilInterrupted } from './until-interrupted.ts'

export interface LogOptions {
  source?: keyof typeof sources
  limit: number
  follow?: boolean
}

type Entry = Record<string, unknown> & { id: string; created_at: string }

interface Page {
  readonly [member: string]: unknown
  readonly next_cursor: string | null
}

interface Source {
  path: string
  member: string
  describe: (entry: Entry) => unknown[]
}

const sources = {
  audit: {
    path: '/api/v1/audit',
    member: 'audit_entries',
    describe: ({ actor, action, kind, name, changes }) => [
      (actor as { name?: string } | null)?.name ?? 'Vacancy',
      action,
      String(kind).replaceAll('_', ' '),
      name,
      (changes as { field: string }[]).map(({ field }) => field).join(', '),
    ],
  },
  sync: {
    path: '/api/v1/sync/audit',
    member: 'audit',
    describe: ({ action, status, channel_listing_id, duration_ms, error }) => [
      action,
      status,
      channel_listing_id,
      typeof duration_ms === 'number' ? `${duration_ms} ms` : '',
      (error as { message?: string } | null)?.message,
    ],
  },
  webhooks: {
    path: '/api/v1/webhook-deliveries',
    member: 'webhook_deliveries',
    describe: ({ event_type, status, response_status, error_message }) => [
      event_type,
      status,
      response_status,
      error_message,
    ],
  },
} satisfies Record<string, Source>

const pollMs = 2_000

export async function showLogs(
  context: CommandContext,
  { source, limit, follow, ...access }: ApiOptions & LogOptions,
  asJson: boolean,
): Promise<void> {
  const api = await openApiClient(context, access)
  const names = source ? [source] : (Object.keys(sources) as (keyof typeof sources)[])
  const seen = new Set<string>()
  /** The newest entries, or all that are newer than those of the last time, however many. */
  const readNew = async (name: keyof typeof sources, signal?: AbortSignal) => {
    const { path, member }: Source = sources[name]
    const found: Entry[] = []
    let cursor: string | null = null
    do {
      const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) }).toString()
      const page: Page = await api.request('GET', `${path}?${query}`, undefined, {
        ...(signal && { signal }),
      })
      const entries = page[member] as Entry[]
      found.push(...entries.filter(({ id }) => !seen.has(id)))
      cursor = signal && entries.every(({ id }) => !seen.has(id)) ? page.next_cursor : null
    } while (cursor !== null)
    return { name, found }
  }
  const readAll = async (signal?: AbortSignal) => {
    const lists = await Promise.all(names.map((name) => readNew(name, signal)))
    for (const { id } of lists.flatMap(({ found }) => found)) seen.add(id)
    return lists
      .flatMap(({ name, found }) =>
        found.slice(0, signal ? undefined : limit).map((entry) => ({ name, entry })),
      )
      .sort((one, other) => one.entry.created_at.localeCompare(other.entry.created_at))
  }
  const print = (entries: Awaited<ReturnType<typeof readAll>>) => {
    for (const { name, entry } of entries) {
      context.out.write(`${asJson ? JSON.stringify({ source: name, ...entry }) : describe(name, entry)}\n`)
    }
  }
  const found = await readAll()
  print(found)
  if (found.length === 0 && !asJson) context.err.write('Nothing has happened yet.\n')
  if (!follow) return
  await untilInterrupted(context, async (signal) => {
    while (!signal.aborted) {
      await sleep(pollMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      await readAll(signal).then(print, (error: unknown) => {
        if (!signal.aborted && !isAway(error)) throw error
      })
    }
  })
}

function describe(name: keyof typeof sources, entry: Entry): string {
  const { describe: partsOf }: Source = sources[name]
  const parts = partsOf(entry).filter((part) => part !== null && part !== undefined && part !== '')
  return `${entry.created_at}  ${name.padEnd(8)}  ${parts.map(String).join('  ')}`
}
