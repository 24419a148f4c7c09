import type { ReactNode } from 'react'

export interface Column<T> {
  /** Also the name by which the API sorts, when the column is `sortable`. */
  id: string
  header: string
  cell: (record: T) => ReactNode
  /** The API sorts by this column. */
  sortable?: boolean
  /** The browser sorts by this value; only for lists that are loaded at once. */
  sortValue?: (record: T) => string | number
  /** `end` for figures. */
  align?: 'end'
  /** A track of the grid: `120px`, `minmax(160px, 2fr)`. */
  width?: string
  /**
   * On a phone: beside the first column, below it (the default) with others, after its header or in a line of its own,
   * at the end, or left out.
   */
  phone?: 'end' | 'labelled' | 'line' | 'last' | 'hidden'
}
