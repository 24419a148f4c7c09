import { inDays } from './local-days.ts'

/** The records that the tasks name. */
export interface AgentWorld {
  readonly space: string
  readonly loft: string
  readonly studio: string
  /** Of Ada, in the loft from day 20 to day 23. */
  readonly ada: string
  /** Of Bob, in the studio from day 5 to day 7. */
  readonly bob: string
  readonly listing: string
  readonly cause: string
  readonly foreignUnit: string
  /** The sales stop that an earlier task made. */
  stop(): Promise<string>
}

type Arguments = Record<string, unknown>

/**
 * - `preview`: the change is not confirmed
 * - `confirm`: it is previewed and confirmed
 * - `confirm twice`: the confirmation is sent again
 * - the others are confirmations that must not work
 */
export type Step =
  | 'preview'
  | 'confirm'
  | 'confirm twice'
  | 'confirm other arguments'
  | 'confirm as another person'
  | 'confirm after a change'
  | 'confirm with an invented confirmation'
  | 'confirm another tool'

export interface AgentTask {
  /** What the person asked for. */
  readonly asked: string
  readonly role?: 'manager' | 'viewer'
  /** The calls of the agent. */
  readonly calls: readonly [
    tool: string,
    values: Arguments | ((world: AgentWorld) => Arguments | Promise<Arguments>),
    step?: Step,
  ][]
  /** What is written: entries of the audit, and retried pushes. */
  readonly effects?: readonly string[]
  /** The last call is rejected. */
  readonly isRejected?: boolean
}

export const july = { from: inDays(40), to: inDays(47) }

export function newStay(unit_id: string, day: number): Arguments {
  return { unit_id, check_in: inDays(day), check_out: inDays(day + 3), guests: 2, guest_name: 'Carol' }
}
