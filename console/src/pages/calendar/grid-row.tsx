import { memo } from 'react'

import { StateIcon } from '../../components/state-badge.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { BookingBar } from './booking-bar.tsx'
import { blockBoxOf, boxOf, hasLanes } from './grid-layout.ts'
import type { GridLayout } from './grid-layout.ts'
import { calendarMessages } from './messages.ts'
import { NightCells } from './night-cells.tsx'
import { daysPerWeek } from './nights.ts'
import { useRatePlanName } from './rate-plans.ts'
import type { CalendarRow } from './rows.ts'
import { worstState } from './sync-marks.ts'
import type { ChangedNights } from './sync-marks.ts'
import { tileStart } from './tile.ts'
import type { UnitData } from './use-calendar.ts'
import styles from './calendar-grid.module.css'
import cells from './night-cells.module.css'

interface GridRowProps {
  row: CalendarRow
  index: number
  top: number
  height: number
  /** The Mondays of the weeks that are in view, and the days at the edges of the view. */
  weeks: readonly number[]
  from: number
  to: number
  firstDay: number
  today: number
  layout: GridLayout
  data: UnitData
  /** Null when no night of this unit was changed. */
  changed: ChangedNights | null
  openBar: string | null
  onFold: (row: CalendarRow) => void
}

const Row = (props: GridRowProps) => {
  const { row, index, top, height, layout } = props
  const place = { style: { top, height }, role: 'row', 'aria-rowindex': index + 2 }
  if (row.kind === 'space')
    return (
      <div {...place} className={`${styles.row} ${styles.spaceRow}`}>
        <SpaceName row={row} width={layout.nameWidth} onFold={props.onFold} />
      </div>
    )
  const isInLanes = row.kind === 'unit' && hasLanes(row.unit.quantity, row.isExpanded, props.data.bars)
  return (
    <div {...place} className={styles.row} data-row={row.kind} data-lanes={isInLanes || undefined}>
      {row.kind === 'unit' ? (
        <UnitName {...props} row={row} />
      ) : (
        <SubName row={row} width={layout.nameWidth} />
      )}
      <Nights {...props} row={row} />
      {row.kind === 'unit' && <Bars {...props} row={row} isInLanes={isInLanes} />}
    </div>
  )
}

/** A line of the calendar; rendered again only when something of it changed, not at each step of a scroll. */
export const GridRow = memo(Row)

type RowOf<Kind> = Extract<CalendarRow, { kind: Kind }>
type UnitRowProps<Kind> = GridRowProps & { row: RowOf<Kind> }

interface SpaceNameProps {
  row: RowOf<'space'>
  width: number
  onFold: (row: CalendarRow) => void
}

const SpaceName = ({ row, width, onFold }: SpaceNameProps) => {
  const text = useMessages(calendarMessages)
  const { name, isCollapsed, unitCount } = row
  return (
    <div
      role="rowheader"
      className={styles.name}
      style={{ width: 'fit-content', minWidth: width }}
      title={name}
    >
      <button
        type="button"
        className={styles.fold}
        aria-expanded={!isCollapsed}
        aria-label={text(isCollapsed ? 'expand' : 'collapse', { space: name })}
        onClick={() => onFold(row)}
      />
      {name}
      <small>{unitCount}</small>
    </div>
  )
}

const UnitName = ({ row, data, layout, onFold }: UnitRowProps<'unit'>) => {
  const text = useMessages(calendarMessages)
  const { unit, isExpanded } = row
  const state = worstState(data.listings)
  // A unit that is in sync needs no attention.
  const hasIcon = state !== null && state !== 'in-sync'
  return (
    <div
      role="rowheader"
      className={styles.name}
      style={{ width: layout.nameWidth }}
      title={unit.name}
      data-status={unit.status}
      data-has-icon={hasIcon || undefined}
    >
      <button
        type="button"
        className={styles.fold}
        aria-expanded={isExpanded}
        aria-label={text(isExpanded ? 'hidePlans' : 'showPlans', { unit: unit.name })}
        onClick={() => onFold(row)}
      />
      {unit.name}
      {hasIcon && <StateIcon state={state} />}
    </div>
  )
}

const SubName = ({ row, width }: { row: RowOf<'plan' | 'stay' | 'closures'>; width: number }) => {
  const text = useMessages(calendarMessages)
  const planName = useRatePlanName(row.unit.id, row.kind === 'plan' ? row.planId : null)
  return (
    <div role="rowheader" className={`${styles.name} ${styles.subName}`} style={{ width }}>
      {row.kind === 'plan' ? planName : text(row.kind === 'stay' ? 'minStay' : 'restrictions')}
    </div>
  )
}

const Nights = ({ row, ...props }: UnitRowProps<'unit' | 'plan' | 'stay' | 'closures'>) =>
  props.weeks.map((monday) => {
    const start = tileStart(monday)
    const tile = props.data.tiles.get(start)
    const plan = row.kind === 'plan' ? tile?.plans.find(({ id }) => id === row.planId) : tile
    return (
      <NightCells
        key={monday}
        unitIndex={row.unitIndex}
        quantity={row.unit.quantity}
        currency={row.unit.currency}
        monday={monday}
        from={Math.max(monday, props.from)}
        to={Math.min(monday + daysPerWeek - 1, props.to)}
        firstDay={props.firstDay}
        nameWidth={props.layout.nameWidth}
        cellWidth={props.layout.cellWidth}
        today={props.today}
        nights={plan?.nights}
        tileStart={start}
        content={row.kind === 'unit' ? 'price' : row.kind}
        listings={tile?.listings ?? noListings}
        changed={props.changed}
      />
    )
  })

const noListings: UnitData['listings'] = []

/** A block of one night has no room for words. */
const minLabelWidth = 90

const Bars = (props: UnitRowProps<'unit'> & { isInLanes: boolean }) => {
  const { row, weeks, firstDay, layout, data, openBar, isInLanes } = props
  const text = useMessages(calendarMessages)
  if (row.unit.quantity > 1 && !row.isExpanded) return null
  const first = weeks[0] ?? firstDay
  const last = (weeks.at(-1) ?? firstDay) + daysPerWeek
  return (
    <>
      {row.unit.quantity === 1 &&
        data.blocks
          .filter(({ from, to }) => to >= first && from <= last)
          .map((block) => {
            const label = block.reason ? text('blockedFor', { reason: block.reason }) : text('blocked')
            const box = blockBoxOf(block, firstDay, layout)
            return (
              <div
                key={block.from}
                role="gridcell"
                className={cells.block}
                style={box}
                data-block={block.from}
                aria-label={label}
                title={label}
              >
                {box.width >= minLabelWidth && <span>{label}</span>}
              </div>
            )
          })}
      {data.bars
        .filter(({ from, to }) => to >= first && from <= last)
        .map((bar) => (
          <BookingBar
            key={bar.id}
            bar={bar}
            box={boxOf(bar, firstDay, isInLanes, layout)}
            isOpen={openBar === bar.id}
          />
        ))}
    </>
  )
}
