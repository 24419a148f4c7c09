import { useMemo, useRef } from 'react'
import { useWindowVirtualizer } from '@tanstack/react-virtual'

import { useKeepFocused } from '../../components/keep-focused.ts'
import { useMessages } from '../../i18n/language.tsx'
import type { Statuses } from '../../live/sync-state.ts'
import type { Group } from './group-units.ts'
import type { Row } from './group-units.ts'
import { portfolioMessages } from './messages.ts'
import { SpaceHeader } from './space-header.tsx'
import { UnitRow } from './unit-row.tsx'
import styles from './unit-list.module.css'

interface UnitListProps {
  groups: Group[]
  statuses: Statuses
}

type Item =
  | { key: string; group: Group; row: null; isLast: boolean }
  | { key: string; group: Group; row: Row; isLast: boolean }

const headerHeight = 58
const rowHeight = 46
const listingHeight = 24

/** Spaces with their units; only what is near the visible part is in the document. */
export const UnitList = ({ groups, statuses }: UnitListProps) => {
  const text = useMessages(portfolioMessages)
  const items = useMemo(() => groups.flatMap(itemsOf), [groups])
  const list = useRef<HTMLDivElement>(null)
  const { rangeExtractor, onFocus } = useKeepFocused()
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => estimateHeight(items[index]),
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: 3,
    scrollMargin: list.current?.offsetTop ?? 0,
    rangeExtractor,
  })
  return (
    <div
      ref={list}
      role="list"
      aria-label={text('units')}
      className={styles.list}
      style={{ height: virtualizer.getTotalSize() }}
      onFocus={onFocus}
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
