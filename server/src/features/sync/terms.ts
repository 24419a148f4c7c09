import { Type } from 'typebox'
import { Cents, Count, nullable } from '#fields.ts'

/** What is decided for one night of one plan, as the API answers it. */
export const Terms = {
  price_cents: Cents,
  min_stay_arrival: Count(1, 999),
  min_stay_through: Count(1, 999),
  max_stay: nullable(Count(1, 999)),
  closed_to_arrival: Type.Boolean(),
  closed_to_departure: Type.Boolean(),
  stop_sell: Type.Boolean(),
}
