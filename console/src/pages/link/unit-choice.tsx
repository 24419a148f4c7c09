import { useState } from 'react'
import type { Unit } from '@vacancy/client'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { isTied } from './match.ts'
import type { Match } from './match.ts'
import { linkMessages } from './messages.ts'
import styles from './link.module.css'

interface UnitChoiceProps {
  match: Match
  /** The units that are not linked yet. */
  units: ReadonlyMap<string, Unit>
  /** What the units are called. */
  labels: ReadonlyMap<string, string>
  isChosen: boolean
  onChange: (unitId: string | null) => void
}

const sureScore = 0.95
const likelyScore = 0.6

/** The unit of a room: suggested with how sure that is, corrected with one click. */
export const UnitChoice = ({ match, units, labels, isChosen, onChange }: UnitChoiceProps) => {
  const text = useMessages(linkMessages)
  const format = useFormat()
  // All units of a large portfolio as options of every row would be a hundred thousand nodes.
  const [isOpen, setOpen] = useState(false)
  const { offer, unitId } = match
  if (!offer) return <span>{labels.get(unitId ?? '')}</span>

  const unit = unitId ? units.get(unitId) : undefined
  const suggestion = offer.matches.find((one) => one.unit_id === unitId)
  const others = offer.matches.filter((one) => one.unit_id !== unitId && units.has(one.unit_id))
  const options = isOpen ? [...labels].toSorted(([, a], [, b]) => format.compare(a, b)) : []
  const guestsDiffer = unit && offer.max_guests !== null && unit.max_guests !== offer.max_guests
  const likeness = isChosen
    ? 'chosen'
    : !suggestion
      ? null
      : suggestion.score >= sureScore && !isTied(offer, units)
        ? 'sure'
        : suggestion.score >= likelyScore
          ? 'likely'
          : 'guess'
  return (
    <span className={styles.unit}>
      <select
        aria-label={text('chooseUnit', { name: offer.name })}
        value={unitId ?? ''}
        onFocus={() => setOpen(true)}
        onMouseDown={() => setOpen(true)}
        onChange={({ currentTarget: { value } }) => onChange(value || null)}
      >
        <option value="">{text('noUnit')}</option>
        {!isOpen && unit && <option value={unit.id}>{labels.get(unit.id)}</option>}
        {options.map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <span className={styles.hints}>
        {unit && likeness && <span data-sure={likeness === 'sure'}>{text(likeness)}</span>}
        {guestsDiffer && (
          <span data-warn="true">
            {text('guestsDiffer', { ours: unit.max_guests, theirs: offer.max_guests ?? 0 })}
          </span>
        )}
        {likeness !== 'sure' &&
          others.map(({ unit_id }) => (
            <button key={unit_id} type="button" className={styles.other} onClick={() => onChange(unit_id)}>
              {text('orUnit', { name: labels.get(unit_id) ?? '' })}
            </button>
          ))}
      </span>
    </span>
  )
}
