import { memo } from 'react'
import { Link } from '@tanstack/react-router'
import type { Unit } from '@vacancy/client'

import { useMessages } from '../../i18n/language.tsx'
import { recordStatusMessages, unitTypeMessages } from '../../i18n/record-messages.ts'
import type { Statuses } from '../../live/sync-state.ts'
import type { Row } from './group-units.ts'
import { ListingRow } from './listing-row.tsx'
import { portfolioMessages } from './messages.ts'
import { Price } from './price.tsx'
import styles from './unit-row.module.css'

interface UnitRowProps {
  row: Row
  timeZone: string
  statuses: Statuses
  /** The last row of a space closes its box. */
  isLast: boolean
}

const Content = ({ row: { unit, listings }, timeZone, statuses, isLast }: UnitRowProps) => {
  const text = useMessages(portfolioMessages)
  const statusText = useMessages(recordStatusMessages)
  return (
    <div className={styles.row} data-unit={unit.id} data-last={isLast}>
      <div className={styles.unit}>
        <h3 className={styles.name}>
          <Link to="/units/$unitId" params={{ unitId: unit.id }}>
            {unit.name}
          </Link>
          {unit.status !== 'active' && <span className={styles.status}>{statusText(unit.status)}</span>}
        </h3>
        <Facts unit={unit} />
      </div>
      <Price unit={unit} />
      <div className={styles.listings}>
        {listings.length === 0 && <span className={styles.unlisted}>{text('notListed')}</span>}
        {listings.map((listing) => (
          <ListingRow key={listing.id} listing={listing} timeZone={timeZone} status={statuses[listing.id]} />
        ))}
      </div>
    </div>
  )
}

/** One unit; rendered again only when it, its price or one of its own listings changed. */
export const UnitRow = memo(
  Content,
  (old, now) =>
    old.row.unit === now.row.unit &&
    old.isLast === now.isLast &&
    old.timeZone === now.timeZone &&
    old.row.listings.length === now.row.listings.length &&
    now.row.listings.every(
      (listing, index) =>
        listing === old.row.listings[index] && old.statuses[listing.id] === now.statuses[listing.id],
    ),
)

const Facts = ({ unit }: { unit: Unit }) => {
  const text = useMessages(portfolioMessages)
  const typeText = useMessages(unitTypeMessages)
  const facts = [
    typeText(unit.type),
    unit.bedrooms > 0 ? text('bedrooms', { count: unit.bedrooms }) : null,
    text('guests', { count: unit.max_guests }),
    unit.quantity > 1 ? text('alike', { count: unit.quantity }) : null,
  ]
  return (
    <p className={styles.facts}>
      {facts
        .filter((fact) => fact !== null)
        .map((fact) => fact.replaceAll(' ', '\u00a0'))
        .join(' · ')}
    </p>
  )
}
