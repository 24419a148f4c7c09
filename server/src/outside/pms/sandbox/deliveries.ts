import type { Delivery, Nights, Parcel } from '../pms.ts'
import type { Exchange, PmsFailure } from '../pms-failure.ts'

export type Deliveries = ReturnType<typeof openDeliveries>

/** What became of each parcel so far. */
export function openDeliveries(parcels: readonly Parcel[]) {
  const states = new Map(parcels.map((parcel) => [parcel, untold(parcel)]))
  const of = (parcel: Parcel) => states.get(parcel)!
  const fail = (parcel: Parcel, failure: PmsFailure) => {
    const state = of(parcel)
    if (failure.exchange) state.exchanges.add(failure.exchange)
    // Of several failures the one counts that another attempt can mend: the others show again by then.
    if (!state.failure || (failure.retryable && !state.failure.retryable)) state.failure = failure
  }

  return {
    exchanged: (parcel: Parcel, exchange: Exchange) => void of(parcel).exchanges.add(exchange),
    tookContent: (parcel: Parcel) => void (of(parcel).tookContent = true),
    tookNights: (parcel: Parcel, run: Nights) => void of(parcel).took.add(run),
    fail,
    failureOf: (parcel: Parcel) => of(parcel).failure,

    /** What was not done yet will not be. */
    giveUp(failure: PmsFailure) {
      for (const [parcel, { tookContent, took }] of states)
        if (!tookContent || took.size < parcel.rooms.length + parcel.rates.length) fail(parcel, failure)
    },

    results(): ReadonlyMap<string, Delivery> {
      const results = [...states].map(([parcel, { tookContent, took, exchanges, failure }]) => {
        const tookRooms = parcel.rooms.filter((run) => took.has(run))
        const tookRates = parcel.rates.filter((run) => took.has(run))
        return [parcel.id, { tookContent, tookRooms, tookRates, exchanges: [...exchanges], failure }] as const
      })
      return new Map(results)
    },
  }
}

function untold(parcel: Parcel) {
  return {
    /** Nothing to say of it is as good as said. */
    tookContent: parcel.differing.length === 0,
    took: new Set<Nights>(),
    exchanges: new Set<Exchange>(),
    failure: null as PmsFailure | null,
  }
}
