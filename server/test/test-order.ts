import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'

/** In which order test files run, which of them in one process, and which of them on the PostgreSQL of the machine. */

/** Files that wait for the call limits of a PMS, first: a machine that stands still for a quarter of a second exceeds them. */
const limited = [
  'test/hostaway-trouble',
  'pms-bookings/hostaway-reservations',
  'test/channex-limits',
  'test/hostaway-changes',
  'pms-access/outage',
  'pms-bookings/moved-rooms',
]

/**
 * Files that load a whole cluster, one after the other: at the same time they would take its time from each other. The
 * first one, in which no request may fail, stands beside the files above, which wait for most of their time.
 */
const clusters = ['chaos/chaos-short', 'chaos/failover', 'chaos/cells']

/** Other files that take long, in this order. */
const slow = [
  'test/start',
  'test/restore',
  'test/crash',
  'test/import-crash',
  'test/export-crash',
  'abuse/patterns',
]

/**
 * Files that share one process, and with it one product and one browser, in this order: each leaves what the next ones
 * need, such as an inbox without a message.
 */
const together = [
  [
    ...['console/today', 'console/analytics', 'console/new-booking', 'console/money.', 'console/disputes'],
    'console/bookings',
  ],
  ['console/inbox.', 'console/inbox-', 'console/calendar', 'console/stop-sell', 'console/units'],
  ['console/audit', 'console/settings', 'console/guest-data', 'console/shell', 'console/end-to-end'],
  ['console/console', 'console/link-wizard', 'console/channels', 'console/docs'],
  ['console/import.', 'console/import-file', 'console/long-texts'],
]

/** Files that change their process for all that follows in it, or must find it new. */
const alone = [
  // Set TEST_DATABASE_URL and RECHECK_BACKEND.
  'test/restore',
  'test/standby',
  'abuse/patterns',
  // Exports spans, which a process does to one place.
  'telemetry/',
  'test/traces',
]

/**
 * Tests wait for two thirds of their time: three processes more than there are cores keep those busy. With four more, so
 * many of the console ran at once that a connection to PostgreSQL took longer than the two seconds that it may.
 */
export const processes = Math.min(availableParallelism() + 3, 8)

/**
 * What runs on the PostgreSQL of the machine where there is one, the oldest that is supported in CI; all other files run
 * on the embedded one. It is what depends on the version: every statement with typed rows and every operation once,
 * migrations, transactions, locks, roles, connections, the queue, dates and money. The other files vary input and trouble
 * around the same statements.
 */
const onInstalled = [
  'server/src/db/',
  'server/src/queue/',
  'test/row-types',
  'test/contract',
  'test/least-privilege',
  'test/tenant-isolation',
  'test/races',
  'calendar-feeds/calendar-import',
  'pms-bookings/channex-bookings',
  'sync/engine/lock-order',
  'calendar/calendar.',
  'calendar/calendar-races',
  'pricing/minimum-price',
  'webhooks/deliveries',
  'analytics/analytics-model',
  'operations/retention/',
  'availability/stretches',
  'bookings/booking-races',
  'bookings/stay-dates',
  'guests/retention',
  'payments/refunds',
]

/** The lists above, to be compared with the files that are there. */
export const namedParts = [...limited, ...clusters, ...slow, ...together.flat(), ...alone, ...onInstalled]

export const runsOnInstalled = (file: string): boolean => onInstalled.some((part) => file.includes(part))

/** More would wait too long behind one another at the end of a run; with fewer, loading modules takes over. */
const maxPerProcess = 20

/** The files that each process runs, in the order in which processes start. */
export function groupFiles(files: readonly string[]): string[][] {
  const left = new Set(files)
  const takeAll = (isWanted: (file: string) => boolean) => {
    const found = [...left].filter(isWanted)
    for (const file of found) left.delete(file)
    return found
  }
  const take = (parts: readonly string[]) => parts.flatMap((part) => takeAll((file) => file.includes(part)))
  const first = split(take(limited), 1)
  const cluster = take(clusters)
  const single = split(take([...slow, ...alone]), 1)
  const installed = split(take(onInstalled), 6)
  // A browser and a product use the processor all the time, other files wait for most of theirs.
  const busy = [
    ...together.map(take),
    ...split(
      takeAll((file) => dirname(file) === 'console'),
      10,
    ),
  ]
  // Those of server/test go through the whole API and take long: they come before those of the features.
  const rest = [...left].reverse()
  const size = Math.min(maxPerProcess, Math.ceil(rest.length / (processes * 4)))
  const groups = [...first, cluster, ...single, ...spread(busy, [...installed, ...split(rest, size)])]
  return groups.filter((group) => group.length > 0)
}

/** Starts the busy ones one by one, so that few of them run at once and none is left at the end. */
function spread(busy: readonly string[][], waiting: readonly string[][]): string[][] {
  const between = Math.floor(waiting.length / (busy.length + 1))
  const mixed = busy.flatMap((group, index) => [
    ...waiting.slice(index * between, (index + 1) * between),
    group,
  ])
  return [...mixed, ...waiting.slice(busy.length * between)]
}

function split(files: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(files.length / size) }, (_, index) =>
    files.slice(index * size, (index + 1) * size),
  )
}
