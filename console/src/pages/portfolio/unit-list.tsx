import { useCallback, useMemo, useRef, useState } from 'react'
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import type { Range } from '@tanstack/react-virtual'

import { useMessages } from '../../i18n/language.tsx'
import type { Statuses } from '../../live/sync-state.ts'
import type { Group } from './group-units.ts'
import type { Row } from './group-units.ts'
import { portfolioMessages } from './messages.ts'
import { SpaceHeader } from './space-header.tsx'
import type { PriceChange } from './undo-toast.tsx'
import { UnitRow } from './unit-row.tsx'
import styles from './unit-list.module.css'

interface UnitListProps {
  groups: Group[]
  statuses: Statuses
  onPriceChange: (change: PriceChange) => void
}

type Item =
  | { key: string; group: Group; row: null; isLast: boolean }
  | { key: string; group: Group; row: Row; isLast: boolean }

const headerHeight = 58
const rowHeight = 46
const listingHeight = 24

/** Spaces with their units; only what is near the visible part is in the document. */
export const UnitList = ({ groups, statuses, onPriceChange }: UnitListProps) => {
  const text = useMessages(portfolioMessages)
  const items = useMemo(() => groups.flatMap(itemsOf), [groups])
  const list = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<number | null>(null)
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => estimateHeight(items[index]),
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: 3,
    scrollMargin: list.current?.offsetTop ?? 0,
    rangeExtractor: useCallback((range: Range) => withFocused(range, focused), [focused]),
  })
  return (
    <div
      ref={list}
      role="list"
      aria-label={text('units')}
      className={styles.list}
      style={{ height: virtualizer.getTotalSize() }}
      onFocus={({ target }) => setFocused(Number(target.closest('[data-index]')?.getAttribute('data-index')))}
    >
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const item = items[index]
        if (!item) return null
        return (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            role="listitem"
            aria-setsize={items.length}
            aria-posinset={index + 1}
            className={styles.item}
            style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
          >
            {item.row ? (
              <UnitRow
                row={item.row}
                timeZone={item.group.space.timezone}
                statuses={statuses}
                isLast={item.isLast}
                onPriceChange={onPriceChange}
              />
            ) : (
              <SpaceHeader group={item.group} />
            )}
          </div>
        )
      })}
    </div>
  )
}

/** The focused row stays in the document when it is scrolled away: its editor keeps what was typed. */
const withFocused = (range: Range, focused: number | null): number[] => {
  const indexes = defaultRangeExtractor(range)
  if (focused === null || focused >= range.count || indexes.includes(focused)) return indexes
  return [...indexes, focused].toSorted((a, b) => a - b)
}

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
