import { isConnectionLoss } from '#db/connect.ts'
import { atomically, type Scope } from '#db/scope.ts'
import { events } from '#events.ts'
import type { PmsBooking } from '#outside/pms/pms-booking.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import type { Run } from '#queue/job.ts'
import type { Connections } from '../channel-targets/connect-target.ts'
import { lookForTarget, type TargetConnection } from '../channel-targets/queries.ts'
import { fetchBooking, hearBooking } from './hear-booking.ts'
import { keepHeardUntil, takePoll, type Poll } from './poll-queries.ts'
import { hasHeard } from './queries.ts'
import { settleConflicts } from './settle-conflicts.ts'
import { speak, type Speaking } from './speak.ts'
import { tellAddress, type Door } from './tell-address.ts'

/** Clocks differ, and a change may show a while after its time. */
const overlapMs = 600_000
/** What was sold before the two were connected: so far back. */
const pastMs = 400 * 86_400_000
const dayMs = 86_400_000

export interface Asking extends Connections {
  readonly door: Door
}

/**
 * The backstop for notices that got lost: drains what waits to be acknowledged, and after an outage, or where nothing
 * is acknowledged, asks for what changed since. A booking that cannot be saved keeps none of the others waiting.
 */
export async function askForBookings(
  scope: Scope,
  asking: Asking,
  targetId: string,
  run?: Pick<Run, 'signal' | 'reportAnswer'>,
): Promise<void> {
  const target = await lookForTarget(scope, targetId)
  if (!target || (target.status !== 'active' && target.status !== 'error')) return
  const poll = await takePoll(scope, targetId)
  if (!poll) return
  try {
    await speak(
      scope,
      asking,
      target,
      async (speaking) => {
        if (speaking.provider.bookings.pollSeconds === null) return
        const ear = { scope, target, speaking, poll }
        await drain(ear)
        const isComplete = await catchUp(ear)
        if (isComplete) await keepHeardUntil(scope, targetId, poll.asked_at)
        await tellAddress(scope, asking, target, speaking, poll.told_at)
      },
      run?.signal,
    )
    run?.reportAnswer(true)
  } catch (error) {
    if (!(error instanceof PmsFailure)) throw error
    if (error.code === 'timeout') run?.reportAnswer(false)
    // The next poll comes by itself, and whether the target works at all is asked elsewhere.
    if (!error.isHeldBack) events.bookingsUnheard({ orgId: scope.orgId, targetId, code: error.code })
  }
}

interface Ear {
  readonly scope: Scope
  readonly target: TargetConnection
  readonly speaking: Speaking
  readonly poll: Poll
}

/** Acknowledging moves the pages under our feet: the feed is read until it brings nothing that was not tried. */
async function drain(ear: Ear): Promise<void> {
  const tried = new Set<string>()
  const { pms, call } = ear.speaking
  for (let fresh = true; fresh;) {
    fresh = false
    for await (const page of pms.bookings.waiting(call))
      for (const booking of page) {
        const name = booking.revision ?? booking.id
        if (tried.has(name)) continue
        tried.add(name)
        fresh = true
        await hear(ear, booking)
      }
  }
}

/** Whether all that changed since the last time was heard of. */
async function catchUp(ear: Ear): Promise<boolean> {
  const { scope, target, speaking, poll } = ear
  const { pms, provider, call } = speaking
  const { feedSeconds } = provider.bookings
  const until = poll.heard_until
  const now = Date.parse(poll.asked_at)
  if (until && feedSeconds !== null && now - +until < feedSeconds * 1_000) return true
  const since = until ? new Date(+until - overlapMs) : new Date(now - pastMs)
  let isComplete = true
  for await (const page of pms.bookings.since(since, call))
    for (const booking of page) {
      if (!until && isPast(booking, now)) continue
      if (await hasHeard(scope, target.id, booking)) continue
      isComplete = (await hear(ear, booking)) && isComplete
    }
  return isComplete
}

const isPast = ({ lines }: PmsBooking, now: number) =>
  lines.length > 0 &&
  lines.every(({ departure }) => departure !== null && Date.parse(departure) < now - 2 * dayMs)

/** Whether it is saved. */
async function hear({ scope, target, speaking, poll }: Ear, booking: PmsBooking): Promise<boolean> {
  try {
    const isHeard = await hearBooking(scope, target, speaking, booking, poll.asked_at)
    if (!isHeard) await fetchBooking(scope, target, speaking, booking, null)
    return true
  } catch (error) {
    if (isConnectionLoss(error)) throw error
    if (error instanceof PmsFailure) {
      if (error.retryable) throw error
      events.bookingsUnheard({ orgId: scope.orgId, targetId: target.id, code: error.code })
      return true
    }
    events.bookingUnsaved({ orgId: scope.orgId, targetId: target.id, booking: booking.id, error })
    await keepTrouble(scope, target, booking)
    return false
  }
}

/** What we did not foresee is kept too, and not acknowledged. */
const keepTrouble = (scope: Scope, target: TargetConnection, booking: PmsBooking) =>
  atomically(scope, (transaction) =>
    settleConflicts(transaction, target, booking, [
      { externalId: booking.id, line: null, reason: 'not_processed' },
    ]),
  ).catch((error: unknown) =>
    events.bookingUnsaved({ orgId: scope.orgId, targetId: target.id, booking: booking.id, error }),
  )
