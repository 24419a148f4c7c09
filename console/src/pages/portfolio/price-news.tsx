import { useEffect, useState } from 'react'
import type { Unit } from '@vacancy/client'

import { writeMoney } from '../../parts/money.ts'
import { isConflict, wordsFor } from '../../parts/refusal.ts'
import { useChangePrice } from './change-price.ts'
import type { Seen } from './change-price.ts'
import look from './price-news.module.css'

export interface PriceChange {
  unit: Unit
  fromCents: number
  toCents: number
  /** The unit as the change left it: undoing it must not undo someone else's. */
  after: Seen
  isUndo?: boolean
}

interface PriceNewsProps {
  change: PriceChange | null
  onDone: () => void
  onUndone: (change: PriceChange) => void
}

const shownMs = 10_000

/** Says what was just saved, and for a while offers to take it back. */
export const PriceNews = ({ change, onDone, onUndone }: PriceNewsProps) => (
  <div className={look.place} role="status">
    {change && <News key={`${change.unit.id} ${change.after.etag}`} {...{ change, onDone, onUndone }} />}
  </div>
)

const News = ({ change, onDone, onUndone }: PriceNewsProps & { change: PriceChange }) => {
  const { unit, fromCents, toCents, after } = change
  const { change: changePrice } = useChangePrice(unit)
  const [fault, setFault] = useState<string | null>(null)
  const [isHeld, setHeld] = useState(false)

  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(onDone, shownMs)
    return () => clearTimeout(timer)
  }, [isHeld])

  const undo = async () => {
    setHeld(true)
    try {
      const restored = await changePrice(fromCents, after)
      onUndone({ unit, fromCents: toCents, toCents: fromCents, after: restored, isUndo: true })
    } catch (failure) {
      setFault(
        isConflict(failure) ? 'It was changed again since; look before you change it.' : wordsFor(failure),
      )
      setHeld(false)
    }
  }

  return (
    <div
      className={look.news}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>
        {fault ?? (
          <>
            {unit.name} {change.isUndo ? 'costs' : 'now costs'}{' '}
            <strong>{writeMoney(toCents, unit.currency)}</strong>
            {change.isUndo && ' again'}
          </>
        )}
      </span>
      {!fault && !change.isUndo && (
        <button type="button" className={look.undo} onClick={() => void undo()}>
          Undo
        </button>
      )}
    </div>
  )
}
