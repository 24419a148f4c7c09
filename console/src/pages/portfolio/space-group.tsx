import type { Group } from './arrange.ts'
import type { Statuses } from '../../parts/sync-state.ts'
import type { PriceChange } from './price-news.tsx'
import { UnitRow } from './unit-row.tsx'
import look from './space-group.module.css'

interface SpaceGroupProps {
  group: Group
  statuses: Statuses
  onPriceChange: (change: PriceChange) => void
}

/** A space and the units inside it. */
export const SpaceGroup = ({ group: { space, rows }, statuses, onPriceChange }: SpaceGroupProps) => (
  <section className={look.group} aria-labelledby={`space-${space.id}`}>
    <header className={look.head}>
      <h2 id={`space-${space.id}`} className={look.name}>
        {space.name}
      </h2>
      <span className={look.place}>{[space.city, space.country].filter(Boolean).join(', ')}</span>
      {space.status !== 'active' && <span className={look.status}>{space.status}</span>}
      <span className={look.zone} title={`Nights here are counted in ${space.timezone}`}>
        {space.timezone.replaceAll('_', ' ')}
      </span>
    </header>
    {rows.length > 0 ? (
      <ul className={look.rows}>
        {rows.map((row) => (
          <UnitRow key={row.unit.id} row={row} statuses={statuses} onPriceChange={onPriceChange} />
        ))}
      </ul>
    ) : (
      <p className={look.none}>No units in this space yet.</p>
    )}
  </section>
)
