import { useQueryClient } from '@tanstack/react-query'
import { findUnit, changeUnit } from '@vacancy/client'
import type { Unit } from '@vacancy/client'

import { useApi } from '../../api.tsx'
import { keepUnit } from '../../statuses.ts'

/** A price as it stood when someone began to change it, with the tag that proves it still does. */
export interface Seen {
  priceCents: number
  etag: string | null
}

/** Reads a unit before an edit, and changes its price on condition that nobody else did meanwhile. */
export const useChangePrice = (unit: Unit) => {
  const api = useApi()
  const queries = useQueryClient()

  const look = async (): Promise<Seen> => {
    const { data, etag } = await api.exchange(findUnit, { path: { id: unit.id } })
    keepUnit(queries, data.unit)
    return { priceCents: data.unit.base_price_cents, etag }
  }

  /** The page shows the new price at once, and the old one again if the service refuses. */
  const change = async (priceCents: number, seen: Seen): Promise<Seen> => {
    keepUnit(queries, { id: unit.id, base_price_cents: priceCents })
    try {
      const { data, etag } = await api.exchange(changeUnit, {
        path: { id: unit.id },
        body: { base_price_cents: priceCents },
        ifMatch: seen.etag,
      })
      keepUnit(queries, data.unit)
      return { priceCents: data.unit.base_price_cents, etag }
    } catch (failure) {
      keepUnit(queries, { id: unit.id, base_price_cents: seen.priceCents })
      throw failure
    }
  }

  return { look, change }
}
