import { useState } from 'react'
import type { Unit } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { maxBulkRecords } from '../../components/bulk-result.ts'
import type { BulkFailure } from '../../components/bulk-result.ts'
import { componentMessages } from '../../components/component-messages.ts'
import { loadedPart } from '../../components/loaded-part.tsx'
import { SelectionBar } from '../../components/record-table-selection.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { portfolioMessages } from './messages.ts'

const BulkChange = loadedPart(async () => (await import('./bulk-change.tsx')).BulkChange)

interface UnitSelectionProps {
  units: readonly Unit[]
  onClear: () => void
  onFailures: (failures: BulkFailure[]) => void
}

/** How many units are selected, and the change of all of them. */
export const UnitSelection = ({ units, onClear, onFailures }: UnitSelectionProps) => {
  const text = useMessages(portfolioMessages)
  const common = useMessages(componentMessages)
  const [isOpen, setOpen] = useState(false)
  return (
    <SelectionBar count={units.length} onClear={onClear}>
      <ActionButton
        refusal={units.length > maxBulkRecords ? common('atMost', { max: maxBulkRecords }) : null}
        onClick={() => setOpen(true)}
      >
        {text('change')}
      </ActionButton>
      {isOpen && (
        <BulkChange
          units={units}
          onDone={(failures) => {
            onFailures(failures)
            onClear()
          }}
          onClose={() => setOpen(false)}
          onMissing={() => setOpen(false)}
        />
      )}
    </SelectionBar>
  )
}
