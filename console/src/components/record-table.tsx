import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { Button } from '@mantine/core'
import type { LinkProps } from '@tanstack/react-router'
import {
  createSortedRowModel,
  rowSelectionFeature,
  rowSortingFeature,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import type { ColumnDef, RowSelectionState } from '@tanstack/react-table'
import { useWindowVirtualizer } from '@tanstack/react-virtual'

import { useFailureText } from '../i18n/failure-text.ts'
import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import { EmptyState } from './empty-state.tsx'
import { useKeepFocused } from './keep-focused.ts'
import { ShowMore } from './show-more.tsx'
import { SelectionBar, SelectionBox } from './record-table-selection.tsx'
import { HeaderCell, SortSelect } from './record-table-sorting.tsx'
import { TableRow } from './record-table-row.tsx'
import type { Column } from './record-columns.ts'
import { TableSkeleton } from './table-skeleton.tsx'
import type { RecordList } from './use-records.ts'
import { useSelectMatching } from './use-select-matching.ts'
import printed from './printed-rows.module.css'
import styles from './record-table.module.css'

interface RecordTableProps<T> {
  /** What the rows are, for a screen reader. */
  label: string
  columns: readonly Column<T>[]
  list: RecordList<T>
  /** Where a row leads to, if anywhere; its first column is the link. */
  link?: (record: T) => LinkProps | undefined
  /** What a row is called, for the box that selects it. */
  nameOf?: (record: T) => string
  /** `arrival` or `-arrival`; kept in the address by the screen. */
  sort?: string | undefined
  onSort?: (sort: string) => void
  /** What can be done with the selected rows; without it, or with false, rows cannot be selected. */
  bulkActions?: false | ((records: T[], clear: () => void) => ReactNode)
  /** Shown in place of an empty list. */
  empty: ReactNode
}

const features = tableFeatures({
  rowSelectionFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
})
export type TableFeatures = typeof features

const rowHeight = 46
const loadAhead = 10

/** The records of a list as rows, and as cards on a phone; only what is near the visible part is in the document. */
export const RecordTable = <T extends { id: string }>(props: RecordTableProps<T>) => {
  const { label, columns, list, link, nameOf, sort, onSort, bulkActions, empty } = props
  const text = useMessages(componentMessages)
  const describe = useFailureText()
  const body = useRef<HTMLDivElement>(null)
  const records = useRef<HTMLDivElement>(null)
  const [areCards, setCards] = useState(false)
  const [offset, setOffset] = useState(0)
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({})
  const matching = useSelectMatching(list, setRowSelection)

  const definitions = useMemo(
    () =>
      columns.map(({ id, sortable, sortValue }): ColumnDef<TableFeatures, T> => ({
        id,
        accessorFn: sortValue ?? (() => null),
        enableSorting: sortable === true || sortValue !== undefined,
        sortFn: 'alphanumeric',
      })),
    [columns],
  )
  const table = useTable({
    features,
    columns: definitions,
    data: list.records ?? noRecords,
    getRowId: (record) => record.id,
    state: { rowSelection, sorting: sort ? [sortingOf(sort)] : [] },
    onRowSelectionChange: setRowSelection,
    manualSorting: !columns.some(({ sortValue }) => sortValue),
    enableSortingRemoval: false,
  })
  const rows = table.getRowModel().rows
  const { rangeExtractor, onFocus } = useKeepFocused(rows.map(({ id }) => id))
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 6,
    scrollMargin: offset,
    rangeExtractor,
  })
  const items = virtualizer.getVirtualItems()
  const lastIndex = items.at(-1)?.index ?? 0

  const tracks = [...(bulkActions ? ['32px'] : []), ...columns.map(({ width }) => width ?? 'minmax(0, 1fr)')]
  const tableWidth = minWidthOf(tracks)
  useLayoutEffect(() => {
    const element = records.current
    if (!element) return
    const look = () => setCards(element.clientWidth < tableWidth)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [tableWidth, rows.length > 0])
  useLayoutEffect(() => {
    if (body.current) setOffset(body.current.getBoundingClientRect().top + scrollY)
  }, [rows.length > 0])
  useLayoutEffect(() => {
    const canLoad = list.hasMore && !list.isLoadingMore && !list.moreError
    if (canLoad && lastIndex >= rows.length - loadAhead) list.loadMore()
  }, [list.hasMore, list.isLoadingMore, list.moreError, lastIndex, rows.length])

  if (list.error)
    return (
      <EmptyState
        tone="bad"
        title={text('loadFailed')}
        action={<Button onClick={list.refetch}>{text('tryAgain')}</Button>}
      >
        {describe(list.error)}
      </EmptyState>
    )
  if (!list.records) return <TableSkeleton />
  if (rows.length === 0) return <>{empty}</>

  const selected = rows.filter((row) => row.getIsSelected()).map((row) => row.original)
  const sorted = sort ? sortingOf(sort) : null
  return (
    <>
      <div ref={records} className={styles.records} data-cards={areCards || undefined}>
        {onSort && <SortSelect columns={columns} sorted={sorted} onSort={onSort} />}
        <div
          role="table"
          aria-label={label}
          aria-busy={list.isStale}
          aria-rowcount={list.hasMore ? -1 : rows.length + 1}
          className={styles.table}
          style={{ '--tracks': tracks.join(' ') } as object}
          onFocus={onFocus}
          onKeyDown={moveBetweenRows}
        >
          <div role="rowgroup" className={styles.header}>
            <div role="row" aria-rowindex={1} className={styles.headerRow}>
              {bulkActions && (
                <div role="columnheader" className={styles.cell}>
                  <SelectionBox
                    label={text('selectAll')}
                    isChecked={table.getIsAllRowsSelected()}
                    isMixed={table.getIsSomeRowsSelected()}
                    onClick={() => table.toggleAllRowsSelected()}
                  />
                </div>
              )}
              {columns.map((column) => (
                <HeaderCell key={column.id} column={column} sorted={sorted} onSort={onSort} />
              ))}
            </div>
          </div>
          <div
            ref={body}
            role="rowgroup"
            className={`${styles.rows} ${printed.rows}`}
            style={{ height: virtualizer.getTotalSize() }}
          >
            {items.map(({ index, key, start }) => {
              const row = rows[index]
              return (
                row && (
                  <TableRow
                    key={key}
                    ref={virtualizer.measureElement}
                    record={row.original}
                    columns={columns}
                    index={index}
                    top={start - offset}
                    link={link?.(row.original)}
                    selection={
                      bulkActions
                        ? {
                            label: text('selectRow', { name: nameOf?.(row.original) ?? String(index + 1) }),
                            isChecked: row.getIsSelected(),
                            onClick: row.getToggleSelectedHandler(),
                          }
                        : undefined
                    }
                  />
                )
              )
            })}
          </div>
        </div>
      </div>
      {list.moreError && <ShowMore list={list} />}
      {list.hasMore && <p className={printed.note}>{text('printedPart', { count: rows.length })}</p>}
      {selected.length > 0 && bulkActions && (
        <SelectionBar
          count={selected.length}
          matching={
            matching.isReading || (matching.isPart && table.getIsAllRowsSelected()) ? matching : undefined
          }
          onClear={() => {
            matching.stop()
            setRowSelection({})
          }}
        >
          {bulkActions(selected, () => setRowSelection({}))}
        </SelectionBar>
      )}
    </>
  )
}

const noRecords: never[] = []

/** Below this width columns would overlap or leave the page: the widths they need, the gaps and the padding. */
const minWidthOf = (tracks: readonly string[]): number =>
  tracks.reduce((sum, track) => sum + Number(/(\d{1,4})px/.exec(track)?.[1] ?? minTrack) + gap, gap)
const minTrack = 90
const gap = 16

const sortingOf = (sort: string) => ({ id: sort.replace(/^-/, ''), desc: sort.startsWith('-') })

/** The arrow keys move the focus between rows, and the space bar selects the row. */
const moveBetweenRows = (event: KeyboardEvent<HTMLElement>) => {
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-index]') : null
  if (!row || (event.target as Element).matches('input:not([type=checkbox]), select, textarea')) return
  if (event.key === ' ' && (event.target as Element).matches('a')) {
    event.preventDefault()
    row.querySelector<HTMLElement>('input[type=checkbox]')?.click()
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step) return
  event.preventDefault()
  const next = event.currentTarget.querySelector(`[data-index="${Number(row.dataset.index) + step}"]`)
  const target = next?.querySelector<HTMLElement>('a, button') ?? next?.querySelector<HTMLElement>('input')
  target?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}
