import type { Cluster } from './cluster.ts'

/** Every acknowledged write with its last value, recorded by the load. */
export interface Ledger {
  /** The name of the load, which is part of the names of its guests. */
  name: string
  /** By idempotency key. */
  bookings: Map<string, BookingEntry>
  /** The last price of each unit, in cents. */
  prices: Map<string, number>
  /** Messages of the PMS, by its id of the booking. */
  messages: Map<string, MessageEntry>
  /** By payment id. */
  payments: Map<string, PaymentEntry>
  /** Descriptions of requests whose outcome is not known yet; empty when all work is done. */
  unknown: Map<symbol, string>
  /** Unexpected responses, such as a 404 for an acknowledged booking. Each ends its workload. */
  unexpected: string[]
}

export interface BookingEntry {
  id: string
  unitId: string
  arrival: string
  departure: string
  status: string
  totalCents: number
}

export interface MessageEntry {
  /** The number of copies with a 200 response, by message id. */
  acknowledged: Map<string, number>
  status: 'confirmed' | 'cancelled'
}

export interface PaymentEntry {
  bookingId: string
  amountCents: number
  /** The guest has paid at the provider. */
  isPaid: boolean
  refundedCents: number
}

export const openLedger = (name: string): Ledger => ({
  name,
  bookings: new Map(),
  prices: new Map(),
  messages: new Map(),
  payments: new Map(),
  unknown: new Map(),
  unexpected: [],
})

/** The result of a check. */
export interface Finding {
  name: string
  passed: boolean
  details: string
}

export interface CheckContext {
  cluster: Cluster
  ledger: Ledger
}

/** Returns what is wrong, a sentence each, and how many things were checked. */
export type Check = (context: CheckContext) => Promise<{ wrong: string[]; checked: number; of: string }>
