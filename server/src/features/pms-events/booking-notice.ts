import type { Scope } from '#db/scope.ts'
import type { Notice, NoticeBody } from '#outside/pms/pms-notice.ts'
import type { TargetConnection } from '../channel-targets/queries.ts'

/** A notice of a booking, with the target that it came to. */
export interface BookingNotice {
  readonly target: TargetConnection
  readonly kind: string
  readonly notice: Notice
  readonly body: NoticeBody
  /** When it happened, or else when it came. */
  readonly occurredAt: string
}

/**
 * Brings a booking to what the PMS says. The same notice twice, or an older one late, changes nothing. False when the
 * notice does not say which booking it is about.
 */
export type ApplyNotice = (scope: Scope, notice: BookingNotice) => Promise<boolean>
