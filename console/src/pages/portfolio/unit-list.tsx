import { useMemo, useRef } from 'react'
import type { MouseEvent } from 'react'
import { useWindowVirtualizer } from '@tanstack/react-virtual'

import type { BulkFailure } from '../../components/bulk-result.ts'
import { componentMessages } from '../../components/component-messages.ts'
import { useKeepFocused } from '../../components/keep-focused.ts'
import { SelectionBox } from '../../components/record-table-selection.tsx'
import { useSelection } from '../../components/use-selection.ts'
import { useMessages } from '../../i18n/language.tsx'
import type { Statuses } from '../../live/sync-state.ts'
import type { Group, Row } from './group-units.ts'
import { portfolioMessages } from './messages.ts'
import { SpaceHeader } from './space-header.tsx'
import { UnitRow } from './unit-row.tsx'
import { UnitSelection } from './unit-selection.tsx'
import printed from '../../components/printed-rows.module.css'
import styles from './unit-list.module.css'

interface UnitListProps {
  groups: Group[]
  statuses: Statuses
  /** Whether the person may change units. */
  canSelect: boolean
  /** Called with the unit in whose row the focus is. */
  onFocus: (unitId: string) => void
  onFailures: (failures: BulkFailure[]) => void
}

type Item =
  | { key: string; group: Group; row: null; isLast: boolean }
  | { key: string; group: Group; row: Row; isLast: boolean }

const headerHeight = 58
const rowHeight = 46
const listingHeight = 24

/** Spaces with their units; only what is near the visible part is in the document. */
export const UnitList = (props: UnitListProps) => {
  const { groups, statuses, canSelect, onFailures } = props
  const text = useMessages(portfolioMessages)
  const common = useMessages(componentMessages)
  const { selected, toggle, clear } = useSelection()
  const lastToggled = useRef('')
  const items = useMemo(() => groups.flatMap(itemsOf), [groups])
  const list = useRef<HTMLDivElement>(null)
  const { rangeExtractor, onFocus } = useKeepFocused(items.map(({ key }) => key))
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => estimateHeight(items[index]),
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: 3,
    scrollMargin: list.current?.offsetTop ?? 0,
    rangeExtractor,
  })

  const units = useMemo(() => items.flatMap(({ row }) => row?.unit ?? []), [items])
  const chosen = units.filter(({ id }) => selected.has(id))
  /** Toggles the units of an item; with Shift those since the last one too. */
  const select = (item: Item, { shiftKey }: MouseEvent) => {
    const ids = units.map(({ id }) => id)
    const own = idsOf(item)
    const isRange = shiftKey && ids.includes(lastToggled.current)
    const places = (isRange ? [lastToggled.current, ...own] : own).map((id) => ids.indexOf(id))
    toggle(ids.slice(Math.min(...places), Math.max(...places) + 1))
    lastToggled.current = own[0] ?? ''
  }
  return (
    <>
      <div
        ref={list}
        role="list"
        aria-label={text('units')}
        className={`${styles.list} ${printed.rows}`}
        data-can-select={canSelect}
        style={{ height: virtualizer.getTotalSize() }}
        onFocus={(event) => {
          onFocus(event)
          const unit = event.target.closest<HTMLElement>('[data-unit]')?.dataset['unit']
          if (unit) props.onFocus(unit)
        }}
      >
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index]
          if (!item) return null
          const own = idsOf(item)
          const isSelected = own.every((id) => selected.has(id))
          return (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              role="listitem"
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className={`${styles.item} ${printed.row}`}
              data-selected={item.row !== null && isSelected}
              style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
            >
              {canSelect && own.length > 0 && (
                <span className={styles.box} data-row={item.row !== null}>
                  <SelectionBox
                    label={common('selectRow', { name: (item.row?.unit ?? item.group.space).name })}
                    isChecked={isSelected}
                    isMixed={own.some((id) => selected.has(id))}
                    onClick={(event) => select(item, event)}
                  />
                </span>
              )}
              {item.row ? (
                <UnitRow
                  row={item.row}
                  timeZone={item.group.space.timezone}
                  statuses={statuses}
                  isLast={item.isLast}
                />
              ) : (
                <SpaceHeader group={item.group} />
              )}
            </div>
          )
        })}
      </div>
      {chosen.length > 0 && <UnitSelection units={chosen} onClear={clear} onFailures={onFailures} />}
    </>
  )
}

/** The unit of a row, or all units below a header. */
const idsOf = ({ group, row }: Item) => (row ? [row] : group.rows).map(({ unit }) => unit.id)

const itemsOf = (group: Group): Item[] => [
  { key: group.space.id, group, row: null, isLast: group.rows.length === 0 },
  ...group.rows.map((row, index) => ({
    key: row.unit.id,
    group,
    row,
    isLast: index === group.rows.length - 1,
  })),
]

const estimateHeight = (item: Item | undefined): number =>
  item?.row ? Math.max(rowHeight, 12 + item.row.listings.length * listingHeight) : headerHeight
