import type { MouseEvent, ReactNode } from 'react'
import { Button } from '@mantine/core'

import { useMessages } from '../i18n/language.tsx'
import { maxBulkRecords } from './bulk-result.ts'
import { componentMessages } from './component-messages.ts'
import { Cross } from './icons.tsx'
import styles from './record-table-selection.module.css'

export interface SelectionBoxProps {
  label: string
  isChecked: boolean
  isMixed?: boolean
  /** A click with Shift selects the rows in between too. */
  onClick: (event: MouseEvent<HTMLInputElement>) => void
}

export const SelectionBox = ({ label, isChecked, isMixed = false, onClick }: SelectionBoxProps) => (
  <input
    ref={(box) => {
      if (box) box.indeterminate = isMixed && !isChecked
    }}
    type="checkbox"
    className={styles.checkbox}
    aria-label={label}
    checked={isChecked}
    onClick={onClick}
    onChange={() => {}}
  />
)

interface SelectionBarProps {
  count: number
  /** Selects the records of further pages too. */
  matching?: { isReading: boolean; read: () => void } | undefined
  onClear: () => void
  children: ReactNode
}

/** How many rows are selected, and what can be done with them; stays at the bottom of the window. */
export const SelectionBar = ({ count, matching, onClear, children }: SelectionBarProps) => {
  const text = useMessages(componentMessages)
  return (
    <div className={styles.bulk} role="region" aria-label={text('selected', { count })}>
      <strong role="status">{text('selected', { count })}</strong>
      {matching && (
        <Button size="compact-sm" variant="subtle" loading={matching.isReading} onClick={matching.read}>
          {text('selectMatching', { max: maxBulkRecords })}
        </Button>
      )}
      <div className={styles.bulkActions}>{children}</div>
      <button
        type="button"
        className={styles.clear}
        aria-label={text('clearSelection')}
        title={text('clearSelection')}
        onClick={onClear}
      >
        <Cross />
      </button>
    </div>
  )
}
