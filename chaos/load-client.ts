import type { OutgoingRequest, RequestOutcome } from '../server/test/caller.ts'
import type { Cluster } from './cluster.ts'
import type { Ledger } from './ledger.ts'
import type { Fixtures } from './fixtures.ts'

/** What a workload uses. */
export interface LoadClient {
  cluster: Cluster
  fixtures: Fixtures
  ledger: Ledger
  /** Unique among the workloads. */
  name: string
  index: number
  /** The requests of a steady workload. */
  perSecond: number
  isStopping(): boolean
  pause(): Promise<void>
  /** Repeats the request until its outcome is known; undefined when the load is stopped before. */
  retryUntilAnswered(request: OutgoingRequest): Promise<Answered | undefined>
  sendOnce(request: OutgoingRequest): Promise<RequestOutcome>
}

export type Answered = Extract<RequestOutcome, { kind: 'answered' }>

export const isFailure = ({ status }: Answered): boolean => status >= 500 || [421, 429].includes(status)
