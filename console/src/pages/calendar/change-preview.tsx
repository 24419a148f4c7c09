import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { editorMessages } from './editor-messages.ts'
import type { CalendarUnit } from './rows.ts'
import { warningsOf } from './use-preview.ts'
import type { Preview } from './use-preview.ts'
import styles from './editor-fields.module.css'
import panel from './editor.module.css'

interface ChangePreviewProps {
  preview: Preview | undefined
  units: readonly CalendarUnit[]
  fault: string | null
}

const maxUnits = 5

/** What prices become: of each unit the lowest and the highest, before and after. */
export const ChangePreview = ({ preview, units, fault }: ChangePreviewProps) => {
  const text = useMessages(editorMessages)
  const format = useFormat()
  if (fault) return <p className={panel.fault}>{fault}</p>
  if (!preview) return <p className={styles.preview}>{text('working')}</p>
  const byUnit = Map.groupBy(preview.ranges, ({ unit_id }) => unit_id)
  const shown = units.filter(({ id }) => byUnit.has(id))
  const range = (cents: (number | null)[], currency: string) => {
    const known = cents.filter((one) => one !== null)
    const ends = [...new Set([Math.min(...known), Math.max(...known)])]
    return ends.map((one) => format.shortMoney(one, currency)).join('–')
  }
  return (
    <div className={styles.preview} role="status">
      <p>{text('previewed', { nights: preview.nights_changed })}</p>
      <table>
        <tbody>
          {shown.slice(0, maxUnits).map(({ id, name, currency }) => {
            const ranges = byUnit.get(id) ?? []
            return (
              <tr key={id} data-warned={ranges.some(({ warnings }) => warnings.length > 0) || undefined}>
                <th scope="row">{name}</th>
                <td>
                  {range(
                    ranges.map((one) => one.price_before_cents),
                    currency,
                  )}
                </td>
                <td aria-hidden="true">→</td>
                <td>
                  {range(
                    ranges.map((one) => one.price_after_cents),
                    currency,
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {shown.length > maxUnits && <p>{text('moreUnits', { units: shown.length - maxUnits })}</p>}
      {warningsOf(preview).map((warning) => (
        <p key={warning} data-warned>
          {text(warning, {
            nights: warning === 'overHalf' ? preview.nights_over_half : preview.nights_below_minimum,
          })}
        </p>
      ))}
    </div>
  )
}
