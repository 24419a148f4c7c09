import { useEffect, useState } from 'react'
import type { Unit } from '@vacancy/client'

import { isVersionConflict, useFailureText } from '../../i18n/failure-text.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { priceMessages } from './price-messages.ts'
import { useChangePrice } from './use-change-price.ts'
import type { UnitVersion } from './use-change-price.ts'
import styles from './undo-toast.module.css'

export interface PriceChange {
  unit: Unit
  fromCents: number
  toCents: number
  /** The unit after the change: an undo must not undo somebody else's change. */
  after: UnitVersion
  isUndo?: boolean
}

interface UndoToastProps {
  change: PriceChange | null
  onDone: () => void
  onUndone: (change: PriceChange) => void
}

const shownMs = 10_000

/** Shows what was just saved, and offers to undo it for ten seconds. */
export const UndoToast = ({ change, onDone, onUndone }: UndoToastProps) => (
  <div className={styles.position} role="status">
    {change && <Toast key={`${change.unit.id} ${change.after.etag}`} {...{ change, onDone, onUndone }} />}
  </div>
)

const Toast = ({ change, onDone, onUndone }: UndoToastProps & { change: PriceChange }) => {
  const { unit, fromCents, toCents, after } = change
  const text = useMessages(priceMessages)
  const format = useFormat()
  const describe = useFailureText()
  const { change: changePrice } = useChangePrice(unit)
  const [fault, setFault] = useState<string | null>(null)
  const [isPaused, setPaused] = useState(false)

  useEffect(() => {
    if (isPaused) return
    const timer = setTimeout(onDone, shownMs)
    return () => clearTimeout(timer)
  }, [isPaused])

  const undo = async () => {
    setPaused(true)
    try {
      const restored = await changePrice(fromCents, after)
      onUndone({ unit, fromCents: toCents, toCents: fromCents, after: restored, isUndo: true })
    } catch (failure) {
      setFault(isVersionConflict(failure) ? text('undoConflict') : describe(failure))
      setPaused(false)
    }
  }

  return (
    <div
      className={styles.toast}
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      <span>
        {fault ??
          text(change.isUndo ? 'restored' : 'changed', {
            unit: unit.name,
            amount: format.money(toCents, unit.currency),
          })}
      </span>
      {!fault && !change.isUndo && (
        <button type="button" className={styles.undo} onClick={() => void undo()}>
          {text('undo')}
        </button>
      )}
    </div>
  )
}
