import { sql } from '#db/sql.ts'
import { notifyAfterCommit, type Transaction } from '#db/scope.ts'
import type { EventType, NewEvent, RecordEvent } from './event.ts'

/** The kinds of records whose changes the event stream reports. */
const recordKinds = [
  'alert',
  'booking',
  'booking_conflict',
  'calendar',
  'calendar_feed',
  'channel_listing',
  'channel_target',
  'charge',
  'payment_intent',
  'quote',
  'rate_plan',
  'refund',
  'sales_stop',
  'season',
  'space',
  'unit',
  'webhook_endpoint',
] as const
export type RecordKind = (typeof recordKinds)[number]

/** The ids of changed records; null when any may have changed. Of `calendar` they are those of units. */
export type ChangedRecords = { readonly [Kind in RecordKind]?: readonly string[] | null }

/** Kinds without an event for every change, which a client that missed a part of the stream reads again. */
export const kindsWithoutEvents: readonly RecordKind[] = [
  'alert',
  'booking_conflict',
  'calendar_feed',
  'channel_listing',
  'charge',
  'payment_intent',
  'quote',
  'refund',
  'sales_stop',
  'season',
]

/** The kind of record that an event is about. Each status of a sync has its own place in the stream. */
const kindByType: Record<EventType, RecordKind | null> = {
  'booking.created': 'booking',
  'booking.updated': 'booking',
  'booking.cancelled': 'booking',
  'booking.deleted': 'booking',
  'booking.conflict': 'alert',
  'calendar_feed.held': 'alert',
  'calendar_feed.error': 'alert',
  'payment.succeeded': 'payment_intent',
  'payment.failed': 'payment_intent',
  'payment.refunded': 'refund',
  'payment.disputed': 'alert',
  'refund.failed': 'alert',
  'quote.created': 'quote',
  'space.created': 'space',
  'space.updated': 'space',
  'space.deleted': 'space',
  'unit.created': 'unit',
  'unit.updated': 'unit',
  'unit.deleted': 'unit',
  'rate_plan.created': 'rate_plan',
  'rate_plan.updated': 'rate_plan',
  'rate_plan.deleted': 'rate_plan',
  'calendar.updated': 'calendar',
  'target.created': 'channel_target',
  'target.updated': 'channel_target',
  'target.deleted': 'channel_target',
  'target.error': 'alert',
  'listing.created': 'channel_listing',
  'listing.updated': 'channel_listing',
  'listing.deleted': 'channel_listing',
  'listing.stale': 'alert',
  'sync.completed': null,
  'sync.failed': 'alert',
  'conflict.opened': 'booking_conflict',
  'conflict.resolved': 'booking_conflict',
  'conflict.dismissed': 'booking_conflict',
  'alert.resolved': 'alert',
  'webhook.disabled': 'webhook_endpoint',
  'member.identity_conflict': 'alert',
}

/** What events have changed. A booking changes the calendar of its unit, and of the unit it was moved from. */
export const changesOf = (events: readonly (NewEvent | RecordEvent)[]): ChangedRecords =>
  mergeChanges(
    events.map((event) => {
      const { type, subjectId } = event
      const kind = kindByType[type]
      if (kind === null) return {}
      const { booking, previous, calendar } = ('data' in event ? event.data : {}) as EventData
      if (kind === 'calendar') return { calendar: calendar?.unit_ids ?? null }
      const ids = subjectId === null ? null : [subjectId]
      if (kind !== 'booking') return { [kind]: ids }
      const units = [booking?.unitId, previous?.unitId].filter((id) => id !== undefined)
      return { booking: ids, calendar: units.length > 0 ? units : null }
    }),
  )

interface EventData {
  readonly booking?: { readonly unitId: string }
  readonly previous?: { readonly unitId?: string }
  readonly calendar?: { readonly unit_ids: readonly string[] }
}

/** With more changes of a kind than this a client reads all records of the kind again. */
const maxIds = 100

export function mergeChanges(parts: readonly ChangedRecords[]): ChangedRecords {
  const merged: { [Kind in RecordKind]?: readonly string[] | null } = {}
  for (const part of parts)
    for (const kind of recordKinds) {
      const [ids, known] = [part[kind], merged[kind]]
      if (ids === undefined || known === null) continue
      const all = ids && [...new Set([...(known ?? []), ...ids])]
      merged[kind] = all && all.length <= maxIds ? all : null
    }
  return merged
}

/** Notifies the event streams of all API processes of the changes, after the commit. */
export function notifyChanges(transaction: Transaction, changes: ChangedRecords): void {
  const { orgId } = transaction
  if (Object.keys(changes).length > 0) notifyAfterCommit(transaction, notifyStreams, { orgId, changes })
}

interface ChangesOfOrganization {
  readonly orgId: string
  readonly changes: ChangedRecords
}

/** Each notification names the oldest transaction that may still be open, which tells its time. */
const notifyStreams = (all: readonly ChangesOfOrganization[]) => {
  const payloads = [...Map.groupBy(all, ({ orgId }) => orgId)].map(([orgId, parts]) => ({
    orgId,
    text: textOf(mergeChanges(parts.map(({ changes }) => changes))),
  }))
  return sql`
    select pg_notify('changes', concat_ws(' ', "orgId", pg_snapshot_xmin(pg_current_snapshot())::text, text))
    from json_to_recordset(${JSON.stringify(payloads)}::json) as payload ("orgId" text, text text)`
}

/** A notification has less than 8,000 bytes; an id takes 39. */
const maxBytes = 7_500

function textOf(changes: ChangedRecords): string {
  const text = JSON.stringify(changes)
  return text.length <= maxBytes
    ? text
    : JSON.stringify(Object.fromEntries(Object.keys(changes).map((kind) => [kind, null])))
}

/**
 * Publishes changes of records by all processes: one listener on the database, shared by all streams. Changes of an
 * organization are sent together, at most once per interval, so that a thousand writes are not a thousand messages.
 */
export interface ChangeHub {
  /** Publishes the changes of the organization to a subscriber. Returns a function that unsubscribes. */
  follow(orgId: string, follower: ChangeFollower): () => void
  /** Handles a notification of the `changes` channel. */
  notified(payload: string): void
}

/** A client that has received the changes has missed nothing before `place`, if that is known. */
type ChangeFollower = (changes: ChangedRecords, place: string | undefined) => void

const minIntervalMs = 250

/** A notification arrives milliseconds after its commit; one that another has overtaken is not later than this. */
const latestMs = 5_000

interface Followed {
  readonly followers: Set<ChangeFollower>
  waiting: ChangedRecords[]
  timer: NodeJS.Timeout | undefined
}

export function createChangeHub(): ChangeHub {
  const organizations = new Map<string, Followed>()
  const places = rememberPlaces()

  /** The first change is sent at once, those soon after it together. */
  function publish(organization: Followed): void {
    organization.timer = undefined
    if (organization.waiting.length === 0) return
    const changes = mergeChanges(organization.waiting)
    organization.waiting = []
    for (const follower of organization.followers) follower(changes, places.complete())
    organization.timer = setTimeout(publish, minIntervalMs, organization).unref()
  }

  return {
    follow(orgId, follower) {
      const organization = organizations.get(orgId) ?? {
        ...{ followers: new Set(), waiting: [], timer: undefined },
      }
      organizations.set(orgId, organization)
      organization.followers.add(follower)
      return () => {
        organization.followers.delete(follower)
        if (organization.followers.size > 0 || organizations.get(orgId) !== organization) return
        clearTimeout(organization.timer)
        organizations.delete(orgId)
      }
    },
    notified(payload) {
      const [orgId, place, changes] = split(payload)
      places.add(place)
      const organization = organizations.get(orgId)
      if (!organization) return
      organization.waiting.push(JSON.parse(changes) as ChangedRecords)
      if (!organization.timer) publish(organization)
    },
  }
}

/** The places of notifications, and the last one before which none can still arrive. */
function rememberPlaces() {
  let complete: string | undefined
  let last: { readonly place: string; readonly at: number } | undefined
  const isComplete = () => last !== undefined && performance.now() - last.at >= latestMs
  return {
    add(place: string): void {
      if (last && !isComplete()) return
      complete = last?.place
      last = { place, at: performance.now() }
    },
    complete: () => (isComplete() ? last!.place : complete),
  }
}

/** `<organization> <place> <JSON>`, which may contain blanks. */
function split(payload: string): [string, string, string] {
  const afterOrg = payload.indexOf(' ')
  const afterPlace = payload.indexOf(' ', afterOrg + 1)
  return [payload.slice(0, afterOrg), payload.slice(afterOrg + 1, afterPlace), payload.slice(afterPlace + 1)]
}
