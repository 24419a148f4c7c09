import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import counts from '../import/item-counts.module.css'
import type { FileImport } from './fields.ts'
import { fileMessages } from './messages.ts'
import { countRows } from './use-file-import.ts'

const actions = ['create', 'update', 'match', 'skip', 'error'] as const
const skipReasons = { units: 'skipUnits', rates: 'skipRates', bookings: 'skipBookings' } as const

/** What becomes of the rows. */
export const RowCounts = ({ current }: { current: FileImport }) => {
  const text = useMessages(fileMessages)
  const format = useFormat()
  const shown = actions.filter((action) => countRows(current, action).total > 0)
  return (
    <ul className={counts.counts} aria-label={text('rows')}>
      {shown.map((action) => (
        <li key={action}>
          <div className={counts.row}>
            <span className={counts.label}>{text(action)}</span>
            <span className={counts.figure}>{format.number(countRows(current, action).total)}</span>
            {action === 'skip' && <span className={counts.note}>{text(skipReasons[current.kind])}</span>}
          </div>
        </li>
      ))}
    </ul>
  )
}
