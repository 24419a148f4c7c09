import { join } from 'node:path'
import { openJournal, readJournal } from '../data/journal.ts'
import type { Intent } from './intent.ts'

export type Charge = {
  id: string
  object: 'charge'
  amount: number
  amount_captured: number
  amount_refunded: number
  captured: boolean
  /** Also after the dispute was won. */
  disputed?: boolean
  created: number
  currency: string
  metadata: Record<string, string>
  paid: boolean
  payment_intent: string
  payment_method: string | null
  refunded: boolean
  status: 'succeeded' | 'pending' | 'failed'
}

export type Refund = {
  id: string
  object: 'refund'
  amount: number
  charge: string
  created: number
  currency: string
  failure_reason?: string
  metadata: Record<string, string>
  payment_intent: string
  reason: string | null
  status: 'pending' | 'succeeded' | 'failed' | 'canceled'
}

export type DisputeStatus =
  | 'warning_needs_response'
  | 'warning_under_review'
  | 'warning_closed'
  | 'needs_response'
  | 'under_review'
  | 'won'
  | 'lost'

export type Dispute = {
  id: string
  object: 'dispute'
  amount: number
  charge: string
  created: number
  currency: string
  evidence_details: { due_by: number; has_evidence: boolean; past_due: boolean; submission_count: number }
  is_charge_refundable: boolean
  livemode: false
  metadata: Record<string, string>
  payment_intent: string
  reason: string
  status: DisputeStatus
}

export type Event = {
  id: string
  object: 'event'
  api_version: string
  created: number
  data: { object: object }
  livemode: false
  pending_webhooks: number
  request: null
  type: string
}

/** What was answered under an idempotency key, and to which request. */
export type Answered = { key: string; digest: string; status: number; body: object }

type Entry =
  | { intent: Intent }
  | { charge: Charge }
  | { refund: Refund }
  | { dispute: Dispute }
  | { event: Event }
  | { answered: Answered }

const keptAnswers = 20_000
const keptEvents = 20_000
const compactAfterBytes = 64 * 1024 * 1024

export type Ledger = ReturnType<typeof openLedger>

/** All payments in the order of creation: on disk with a home, else in memory. */
export function openLedger(home?: string) {
  const intents = new Map<string, Intent>()
  const charges = new Map<string, Charge>()
  const refunds = new Map<string, Refund>()
  const disputes = new Map<string, Dispute>()
  const events = new Map<string, Event>()
  const answers = new Map<string, Answered>()
  const path = home === undefined ? undefined : join(home, 'payments.jsonl')
  if (path) for (const entry of readJournal(path)) apply(entry as Entry)
  const journal = path === undefined ? undefined : openJournal(path)
  journal?.rewrite(allEntries())

  return {
    intents,
    charges,
    refunds,
    disputes,
    events,
    answered: (key: string) => answers.get(key),
    refundsOf: (intentId: string) => [...refunds.values()].filter((one) => one.payment_intent === intentId),
    disputesOf: (intentId: string) => [...disputes.values()].filter((one) => one.payment_intent === intentId),
    write(entry: Entry) {
      journal?.append(entry)
      apply(entry)
      if (journal && journal.grownBytes() > compactAfterBytes) journal.rewrite(allEntries())
    },
    close: () => journal?.close(),
  }

  function apply(entry: Entry) {
    if ('intent' in entry) intents.set(entry.intent.id, entry.intent)
    else if ('charge' in entry) charges.set(entry.charge.id, entry.charge)
    else if ('refund' in entry) refunds.set(entry.refund.id, entry.refund)
    else if ('dispute' in entry) disputes.set(entry.dispute.id, entry.dispute)
    else if ('event' in entry) setBounded(events, entry.event.id, entry.event, keptEvents)
    else setBounded(answers, entry.answered.key, entry.answered, keptAnswers)
  }

  function* allEntries(): Generator<Entry> {
    for (const intent of intents.values()) yield { intent }
    for (const charge of charges.values()) yield { charge }
    for (const refund of refunds.values()) yield { refund }
    for (const dispute of disputes.values()) yield { dispute }
    for (const event of events.values()) yield { event }
    for (const answered of answers.values()) yield { answered }
  }
}

function setBounded<T>(map: Map<string, T>, key: string, value: T, max: number) {
  map.set(key, value)
  if (map.size > max) map.delete(map.keys().next().value as string)
}
