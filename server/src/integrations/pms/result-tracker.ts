import type { NightRange, UnitUpdate, UpdateResult } from './pms.ts'
import type { Exchange, PmsFailure } from './pms-failure.ts'

export type ResultTracker = ReturnType<typeof trackResults>

/** Collects what the PMS accepted of each update while a push goes on. */
export function trackResults(
  updates: readonly UnitUpdate[],
  hasContent: (update: UnitUpdate) => boolean = ({ changedFields }) => changedFields.length > 0,
) {
  const states = new Map(
    updates.map((update) => [
      update,
      {
        // Content that need not be sent counts as accepted.
        contentAccepted: !hasContent(update),
        acceptedRanges: new Set<NightRange>(),
        exchanges: new Set<Exchange>(),
        tasks: new Set<string>(),
        failure: null as PmsFailure | null,
        refusedGroups: update.refusedGroups,
      },
    ]),
  )
  const stateOf = (update: UnitUpdate) => states.get(update)!
  const fail = (failed: Iterable<UnitUpdate>, failure: PmsFailure) => {
    for (const update of failed) {
      const state = stateOf(update)
      if (failure.exchange) state.exchanges.add(failure.exchange)
      // A failure that a retry can cure takes precedence: the others appear again at that retry.
      if (!state.failure || (failure.retryable && !state.failure.retryable)) state.failure = failure
    }
  }

  return {
    fail,
    failureOf: (update: UnitUpdate) => stateOf(update).failure,

    addExchange(sent: Iterable<UnitUpdate>, exchange: Exchange) {
      for (const update of sent) stateOf(update).exchanges.add(exchange)
    },
    addTasks(sent: Iterable<UnitUpdate>, tasks: readonly string[]) {
      for (const update of sent) for (const task of tasks) stateOf(update).tasks.add(task)
    },
    acceptContent(update: UnitUpdate) {
      stateOf(update).contentAccepted = true
    },
    acceptRange(update: UnitUpdate, range: NightRange) {
      stateOf(update).acceptedRanges.add(range)
    },

    /** Fails every update of which a part was not accepted. */
    failRemaining(failure: PmsFailure) {
      for (const [update, { contentAccepted, acceptedRanges }] of states)
        if (!contentAccepted || acceptedRanges.size < update.rooms.length + update.rates.length)
          fail([update], failure)
    },

    /** Records which units one message of this kind refused together; null when they are no longer refused. */
    setRefusedGroup(kind: string, refused: Iterable<UnitUpdate>, group: string | null) {
      for (const update of refused) {
        const state = stateOf(update)
        const { [kind]: _, ...others } = state.refusedGroups ?? {}
        state.refusedGroups = group === null ? others : { ...others, [kind]: group }
      }
    },

    results(): ReadonlyMap<string, UpdateResult> {
      return new Map(
        [...states].map(([update, { acceptedRanges, exchanges, tasks, refusedGroups, ...state }]) => [
          update.id,
          {
            ...state,
            acceptedRooms: update.rooms.filter((range) => acceptedRanges.has(range)),
            acceptedRates: update.rates.filter((range) => acceptedRanges.has(range)),
            exchanges: [...exchanges],
            tasks: [...tasks],
            ...(refusedGroups && { refusedGroups }),
          },
        ]),
      )
    },
  }
}
