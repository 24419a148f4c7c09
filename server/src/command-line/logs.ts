/** What happened in the organization: changes of records, syncs, and webhooks. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openApiClient, type ApiOptions } from './api-client.ts'
import type { CommandContext } from './command-context.ts'
import { untilInterrupted } from './until-interrupted.ts'

export interface LogOptions {
  source?: keyof typeof sources
  limit: number
  follow?: boolean
}

type Entry = Record<string, unknown> & { id: string; created_at: string }

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
  const readNew = async (signal?: AbortSignal) => {
    const lists = await Promise.all(
      names.map(async (name) => {
        const { path, member }: Source = sources[name]
        const page = await api.request<Record<string, Entry[]>>(
          ...([
            'GET',
            `${path}?limit=${seen.size === 0 ? limit : 100}`,
            undefined,
            signal ? { signal } : {},
          ] as const),
        )
        return page[member]!.map((entry) => ({ name, entry }))
      }),
    )
    return lists
      .flat()
      .filter(({ entry }) => !seen.has(entry.id))
      .sort((one, other) => one.entry.created_at.localeCompare(other.entry.created_at))
  }
  const print = (entries: Awaited<ReturnType<typeof readNew>>) => {
    for (const { name, entry } of entries) {
      seen.add(entry.id)
      context.out.write(`${asJson ? JSON.stringify({ source: name, ...entry }) : describe(name, entry)}\n`)
    }
  }
  const found = await readNew()
  print(found)
  if (found.length === 0 && !asJson) context.err.write('Nothing has happened yet.\n')
  if (!follow) return
  await untilInterrupted(context, async (signal) => {
    while (!signal.aborted) {
      await sleep(pollMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted) print(await readNew(signal))
    }
  })
}

function describe(name: keyof typeof sources, entry: Entry): string {
  const { describe: partsOf }: Source = sources[name]
  const parts = partsOf(entry).filter((part) => part !== null && part !== undefined && part !== '')
  return `${entry.created_at}  ${name.padEnd(8)}  ${parts.map(String).join('  ')}`
}
