import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import { ChevronDown } from './icons.tsx'
import type { Column } from './record-columns.ts'
import styles from './record-table.module.css'

interface Sorted {
  id: string
  desc: boolean
}

interface HeaderCellProps<T> {
  column: Column<T>
  sorted: Sorted | null
  onSort: ((sort: string) => void) | undefined
}

/** The heading of a column; a click sorts by it, and a second one turns the order around. */
export const HeaderCell = <T,>({ column, sorted, onSort }: HeaderCellProps<T>) => {
  const direction = sorted?.id === column.id ? (sorted.desc ? 'descending' : 'ascending') : undefined
  return (
    <div role="columnheader" aria-sort={direction} className={styles.cell} data-align={column.align}>
      {isSortable(column) && onSort ? (
        <button
          type="button"
          className={styles.sort}
          data-direction={direction}
          onClick={() => onSort(direction === 'ascending' ? `-${column.id}` : column.id)}
        >
          {column.header}
          <ChevronDown />
        </button>
      ) : (
        column.header
      )}
    </div>
  )
}

interface SortSelectProps<T> {
  columns: readonly Column<T>[]
  sorted: Sorted | null
  onSort: (sort: string) => void
}

/** The order of the cards on a phone, where there is no header. */
export const SortSelect = <T,>({ columns, sorted, onSort }: SortSelectProps<T>) => {
  const text = useMessages(componentMessages)
  const sortable = columns.filter(isSortable)
  if (sortable.length === 0) return null
  return (
    <select
      className={styles.sortSelect}
      aria-label={text('sortBy')}
      value={sorted ? `${sorted.desc ? '-' : ''}${sorted.id}` : ''}
      onChange={(event) => onSort(event.currentTarget.value)}
    >
      {!sorted && <option value="">{text('sortBy')}</option>}
      {sortable.flatMap(({ id, header }) => [
        <option key={id} value={id}>
          {text('ascending', { column: header })}
        </option>,
        <option key={`-${id}`} value={`-${id}`}>
          {text('descending', { column: header })}
        </option>,
      ])}
    </select>
  )
}

const isSortable = <T,>({ sortable, sortValue }: Column<T>) => sortable === true || sortValue !== undefined
