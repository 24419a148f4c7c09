import type { Delivery, Nights, Parcel } from '../pms.ts'
import type { Exchange, PmsFailure } from '../pms-failure.ts'
import { heldMembers } from './content.ts'
import type { Wish } from './messages.ts'

export type Deliveries = ReturnType<typeof openDeliveries>

/** What became of each parcel so far. */
export function openDeliveries(parcels: readonly Parcel[]) {
  const states = new Map(
    parcels.map((parcel) => [
      parcel,
      {
        tookContent: heldMembers(parcel).length === 0,
        took: new Set<Nights>(),
        exchanges: new Set<Exchange>(),
        tasks: new Set<string>(),
        failure: null as PmsFailure | null,
        refusedGroups: parcel.refusedGroups ?? {},
      },
    ]),
  )
  const of = (parcel: Parcel) => states.get(parcel)!

  return {
    exchanged(parcels: Iterable<Parcel>, exchange: Exchange) {
      for (const parcel of parcels) of(parcel).exchanges.add(exchange)
    },
    took({ parcel, run }: Wish) {
      of(parcel).took.add(run)
    },
    follow(parcels: Iterable<Parcel>, tasks: readonly string[]) {
      for (const parcel of parcels) for (const task of tasks) of(parcel).tasks.add(task)
    },
    tookContent(parcel: Parcel) {
      of(parcel).tookContent = true
    },
    /** Of several failures the one counts that another attempt can mend: the others show again by then. */
    failed(parcels: Iterable<Parcel>, failure: PmsFailure) {
      for (const parcel of parcels) {
        const state = of(parcel)
        if (failure.exchange) state.exchanges.add(failure.exchange)
        if (!state.failure || (failure.retryable && !state.failure.retryable)) state.failure = failure
      }
    },
    /** Notes which units were refused together in messages of this kind; null when they no longer are. */
    refusedTogether(kind: string, parcels: Iterable<Parcel>, group: string | null) {
      for (const parcel of parcels) {
        const { [kind]: _, ...others } = of(parcel).refusedGroups
        of(parcel).refusedGroups = group === null ? others : { ...others, [kind]: group }
      }
    },
    results(): ReadonlyMap<string, Delivery> {
      const results = [...states].map(([parcel, { took, exchanges, tasks, ...state }]) => {
        const tookRooms = parcel.rooms.filter((run) => took.has(run))
        const tookRates = parcel.rates.filter((run) => took.has(run))
        return [
          parcel.id,
          { ...state, tookRooms, tookRates, exchanges: [...exchanges], tasks: [...tasks] },
        ] as const
      })
      return new Map(results)
    },
  }
}
