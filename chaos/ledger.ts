import type { House } from './house.ts'

/** What the product has promised: every acknowledged write with its last value, as those who wrote remember it. */
export interface Ledger {
  /** Of the load; guests of its bookings are called after it. */
  name: string
  /** By the idempotency key that made them. */
  bookings: Map<string, BookingEntry>
  /** The last price of each unit, in cents. */
  prices: Map<string, number>
  /** What the PMS told, by its id for the booking. */
  messages: Map<string, MessageEntry>
  /** By the id of the payment. */
  payments: Map<string, PaymentEntry>
  /** Requests whose outcome has not been learnt, by a sentence about them; empty when all is settled. */
  unknown: Map<symbol, string>
  /** Answers that nobody reckoned with, such as that an acknowledged booking is not there; each ends its lane. */
  surprises: string[]
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
  /** How many copies were answered with 200, by the id of the message. */
  acknowledged: Map<string, number>
  status: 'confirmed' | 'cancelled'
}

export interface PaymentEntry {
  bookingId: string
  amountCents: number
  /** The guest has paid on the page of the provider. */
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
  surprises: [],
})

/** One thing that must be true, and what was found. */
export interface Finding {
  name: string
  holds: boolean
  found: string
}

export interface Look {
  house: House
  ledger: Ledger
}

/** A question put to the product: what is wrong, a sentence each, and how many things were looked at. */
export type Check = (look: Look) => Promise<{ wrong: string[]; looked: number; of: string }>
