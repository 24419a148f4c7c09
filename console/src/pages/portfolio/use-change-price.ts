import { useQueryClient } from '@tanstack/react-query'
import { getUnit, updateUnit } from '@vacancy/client'
import type { Unit } from '@vacancy/client'

import { useApi } from '../../session/api.tsx'
import { updateCachedUnit } from '../../live/units.ts'

/** The price and the entity tag of a unit when it was read: a change is made only if neither moved since. */
export interface UnitVersion {
  priceCents: number
  etag: string | null
}

/** Reads a unit before an edit, and changes its price only if nobody else did meanwhile. */
export const useChangePrice = (unit: Unit) => {
  const api = useApi()
  const queries = useQueryClient()

  const readVersion = async (): Promise<UnitVersion> => {
    const { data, etag } = await api.request(getUnit, { path: { id: unit.id } })
    updateCachedUnit(queries, data.unit)
    return { priceCents: data.unit.base_price_cents, etag }
  }

  /** The page shows the new price at once, and the old one again if the service refuses it. */
  const change = async (priceCents: number, read: UnitVersion): Promise<UnitVersion> => {
    updateCachedUnit(queries, { id: unit.id, base_price_cents: priceCents })
    try {
      const { data, etag } = await api.request(updateUnit, {
        path: { id: unit.id },
        body: { base_price_cents: priceCents, ...(priceCents === 0 && { free_of_charge: true }) },
        ifMatch: read.etag,
      })
      updateCachedUnit(queries, data.unit)
      return { priceCents: data.unit.base_price_cents, etag }
    } catch (failure) {
      updateCachedUnit(queries, { id: unit.id, base_price_cents: read.priceCents })
      throw failure
    }
  }

  return { readVersion, change }
}
