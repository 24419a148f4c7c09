import type { contract } from '@vacancy/client'

import type { ChangeDraft, SelectedNights } from './change-draft.ts'
import { CopyDialog } from './copy-dialog.tsx'
import type { MoveTarget } from './move-booking.ts'
import { MoveDialog } from './move-dialog.tsx'
import type { CalendarUnit } from './rows.ts'
import { SeasonsDialog } from './seasons-dialog.tsx'
import type { CalendarData } from './use-calendar.ts'

export type OpenDialog =
  | { kind: 'seasons'; draft: ChangeDraft | null }
  | { kind: 'copy' }
  | { kind: 'move'; target: Pick<MoveTarget, 'bar' | 'home' | 'unit' | 'from'> }

interface CalendarDialogsProps {
  dialog: OpenDialog
  selected: SelectedNights | null
  units: readonly CalendarUnit[]
  data: CalendarData
  today: number
  mayEdit: boolean
  onChanged: (change: contract.CalendarChange, unitIds: readonly string[]) => void
  onClose: () => void
}

/** The window that is open over the calendar; loaded when the first one opens. */
export const CalendarDialogs = (props: CalendarDialogsProps) => {
  const { dialog, selected, units, data, today, mayEdit, onChanged, onClose } = props
  if (dialog.kind === 'move')
    return <MoveDialog target={dialog.target} {...{ units, data, today, onClose }} />
  if (dialog.kind === 'copy')
    return selected && <CopyDialog {...{ selected, units, onClose }} onCopied={onChanged} />
  return (
    <SeasonsDialog
      draft={dialog.draft}
      selected={selected}
      shown={units}
      currency={units[0]?.currency ?? 'eur'}
      mayEdit={mayEdit}
      onApplied={onChanged}
      onClose={onClose}
    />
  )
}
