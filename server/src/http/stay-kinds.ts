import { kind } from './kind.ts'

/** What a stay is refused for, whoever has the rooms. */
export const stayKinds = {
  'price-below-minimum': kind(
    422,
    'A price is below the minimum of the unit',
    'A night, or a whole stay, would be sold for less than the `min_price_cents` of the unit.',
    'Read `errors` and `nights`: name a higher price, or lower the minimum of the unit.',
  ),
} as const
