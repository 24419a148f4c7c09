import type { Asked, Outcome } from './door.ts'
import type { House } from './house.ts'
import type { Ledger } from './ledger.ts'
import type { Stock } from './stock.ts'

/** What a lane works with. */
export interface Laborer {
  house: House
  stock: Stock
  ledger: Ledger
  /** Unlike that of any other lane. */
  name: string
  at: number
  isOver(): boolean
  rest(): Promise<void>
  /** Asks until an answer says how it ended; undefined when nobody would say. */
  insist(asked: Asked): Promise<Answered | undefined>
  /** Asks once. */
  ask(asked: Asked): Promise<Outcome>
}

export type Answered = Extract<Outcome, { kind: 'answered' }>
