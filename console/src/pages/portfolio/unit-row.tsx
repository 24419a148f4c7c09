import { memo } from 'react'
import type { Unit } from '@vacancy/client'

import type { Row } from './arrange.ts'
import type { Statuses } from '../../parts/sync-state.ts'
import { ListingLine } from './listing-line.tsx'
import { Price } from './price.tsx'
import type { PriceChange } from './price-news.tsx'
import look from './unit-row.module.css'

interface UnitRowProps {
  row: Row
  statuses: Statuses
  onPriceChange: (change: PriceChange) => void
}

const Drawn = ({ row: { unit, listings }, statuses, onPriceChange }: UnitRowProps) => (
  <li className={look.row} data-unit={unit.id}>
    <div className={look.unit}>
      <h3 className={look.name}>
        {unit.name}
        {unit.status !== 'active' && <span className={look.status}>{unit.status}</span>}
      </h3>
      <p className={look.facts}>{factsOf(unit)}</p>
    </div>
    <Price unit={unit} onChange={onPriceChange} />
    <div className={look.listings}>
      {listings.length === 0 && <span className={look.unlisted}>Not listed anywhere</span>}
      {listings.map((listing) => (
        <ListingLine key={listing.id} listing={listing} status={statuses[listing.id]} />
      ))}
    </div>
  </li>
)

/** One unit on one line; drawn again only when it, its price or one of its own listings changed. */
export const UnitRow = memo(
  Drawn,
  (old, now) =>
    old.row.unit === now.row.unit &&
    old.onPriceChange === now.onPriceChange &&
    old.row.listings.length === now.row.listings.length &&
    now.row.listings.every(
      (listing, index) =>
        listing === old.row.listings[index] && old.statuses[listing.id] === now.statuses[listing.id],
    ),
)

const factsOf = (unit: Unit): string =>
  [
    unit.type.charAt(0).toUpperCase() + unit.type.slice(1),
    unit.bedrooms > 0 ? `${unit.bedrooms} ${unit.bedrooms === 1 ? 'bedroom' : 'bedrooms'}` : null,
    `${unit.max_guests} ${unit.max_guests === 1 ? 'guest' : 'guests'}`,
    unit.quantity > 1 ? `${unit.quantity} alike` : null,
  ]
    .filter((fact) => fact !== null)
    .map((fact) => fact.replace(' ', '\u00a0'))
    .join(' · ')
