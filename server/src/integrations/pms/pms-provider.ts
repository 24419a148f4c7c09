import type { NoticeReader } from './pms-notice.ts'
import type { PmsConnection, TermName } from './pms.ts'
import type { UnitContent } from './pms-content.ts'

/** What each provider supports: rate plans of its own, and terms on the room itself. */
export const planSupport = {
  generic: { hasPlans: true, roomHasTerms: true },
  channex: { hasPlans: true, roomHasTerms: false },
  hostaway: { hasPlans: false, roomHasTerms: true },
} as const
export type ProviderName = keyof typeof planSupport

/** Whether the PMS sells nothing without a rate plan. */
export const sellsByPlan = ({
  hasPlans,
  roomHasTerms,
}: Pick<Provider, 'hasPlans' | 'roomHasTerms'>): boolean => hasPlans && !roomHasTerms

/** The capabilities and limits of one kind of PMS, and how to connect to it. */
export interface Provider {
  readonly name: string
  /** The terms that the PMS can hold; the others are enforced only here. */
  readonly terms: readonly TermName[]
  /** Whether the PMS has a rate plan for each of ours, or one price per room. */
  readonly hasPlans: boolean
  /** Whether the room itself can carry terms: a plan link without an external id. */
  readonly roomHasTerms: boolean
  /** Whether a stopped night is sent as a night without rooms, because the PMS has no stop sell. */
  readonly stopSellAsNoRooms: boolean
  /** Whether we choose the external ids: a push creates a unit or plan that the PMS does not have yet. */
  readonly acceptsOurIds: boolean
  /** Whether all units of a target belong to one property there, and therefore to one space here. */
  readonly oneSpacePerTarget: boolean
  /** The content fields that the PMS holds. */
  readonly contentFields: readonly (keyof UnitContent)[]
  /** The public base URL of our photos; without it no photos are sent. */
  readonly photoBaseUrl?: string
  /** The rate limits of the PMS, by kind of call. */
  readonly budgets: readonly Budget[]
  /** How many units one push may contain. */
  readonly unitsPerPush: number
  /** How many units are read in one go: more than one where that needs no more calls than one. */
  readonly unitsPerRead: number
  /** Reads the webhook messages of the PMS. */
  readonly noticeReader: NoticeReader
  connect(target: PmsTarget): PmsConnection
}

/** At most `calls` calls of a kind in any window of that length. */
export interface Budget {
  readonly kind: string
  readonly calls: number
  readonly windowSeconds: number
}

export type Credentials = Readonly<Record<string, string>>

export interface PmsTarget {
  readonly baseUrl: string | null
  /** The property at the PMS. */
  readonly property: string
  readonly credentials: Credentials | null
  readonly timeoutMs: number
}

export interface PmsDirectory {
  /** @throws PmsFailure when there is no such provider. */
  getProvider(name: string): Provider
  /** Whether the default PMS of the installation answers; null when none is configured. */
  isReachable(): Promise<boolean | null>
}
