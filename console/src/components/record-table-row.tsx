import type { Ref } from 'react'
import { Link } from '@tanstack/react-router'
import type { LinkProps } from '@tanstack/react-router'

import { SelectionBox } from './record-table-selection.tsx'
import type { SelectionBoxProps } from './record-table-selection.tsx'
import type { Column } from './record-columns.ts'
import printed from './printed-rows.module.css'
import styles from './record-table.module.css'

interface TableRowProps<T> {
  ref: Ref<HTMLDivElement>
  record: T
  columns: readonly Column<T>[]
  index: number
  /** Its place in the virtual list, in px. */
  top: number
  link: LinkProps | undefined
  selection: SelectionBoxProps | undefined
}

/** One record: a row of cells, and a card on a phone. The whole row is the target of its link. */
export const TableRow = <T,>({ ref, record, columns, index, top, link, selection }: TableRowProps<T>) => (
  <div
    ref={ref}
    role="row"
    aria-rowindex={index + 2}
    data-index={index}
    data-selected={selection?.isChecked ?? false}
    className={`${styles.row} ${printed.row}`}
    style={{ transform: `translateY(${top}px)` }}
  >
    {selection && (
      <div role="cell" className={styles.box}>
        <SelectionBox {...selection} />
      </div>
    )}
    {columns.map(({ id, header, cell, align, phone }, position) => (
      <div
        key={id}
        role="cell"
        className={styles.cell}
        data-align={align}
        data-phone={position === 0 ? 'first' : phone}
        data-label={header}
      >
        {position === 0 && link ? (
          <Link {...link} className={styles.link}>
            {cell(record)}
          </Link>
        ) : (
          cell(record)
        )}
      </div>
    ))}
  </div>
)
