import { useEffect, useId, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import type { Unit } from '@vacancy/client'

import { Check, Cross } from '../../parts/icons.tsx'
import { readPrice, writeMoney, writePlain } from '../../parts/money.ts'
import { isConflict, wordsFor } from '../../parts/refusal.ts'
import type { Seen } from './change-price.ts'
import look from './price.module.css'

/** What stands in the editor when it opens: nothing yet, or what was refused and why. */
export interface Draft {
  typedCents: number | null
  failure: unknown
}

interface PriceEditorProps {
  unit: Unit
  draft: Draft
  /** Reads the unit afresh: what is saved must answer to what is seen. */
  lookAt: () => Promise<Seen>
  onSave: (priceCents: number, seen: Seen) => void
  onClose: () => void
}

export const PriceEditor = ({ unit, draft, lookAt, onSave, onClose }: PriceEditorProps) => {
  const { currency } = unit
  const [typed, setTyped] = useState(() => writePlain(draft.typedCents ?? unit.base_price_cents, currency))
  const [fault, setFault] = useState<string | null>(draft.failure ? wordsFor(draft.failure) : null)
  const [isWaiting, setWaiting] = useState(false)
  const shownCents = useRef(unit.base_price_cents)
  const seen = useRef<Promise<Seen> | null>(null)
  const faultId = useId()

  useEffect(() => {
    const conflict = isConflict(draft.failure)
    const looking = lookAt()
    seen.current = looking
    looking.then(
      ({ priceCents }) => {
        if (conflict) setFault(changedMeanwhile(priceCents, currency))
        else if (priceCents !== shownCents.current) setFault(changedMeanwhile(priceCents, currency))
        shownCents.current = priceCents
      },
      () => {
        seen.current = null
      },
    )
  }, [])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const read = readPrice(typed, currency)
    if ('fault' in read) return setFault(read.fault)
    setWaiting(true)
    try {
      seen.current ??= lookAt()
      const now = await seen.current
      if (read.priceCents === now.priceCents) onClose()
      else onSave(read.priceCents, now)
    } catch (failure) {
      seen.current = null
      setFault(wordsFor(failure))
      setWaiting(false)
    }
  }

  return (
    <form className={look.editor} onSubmit={(event) => void submit(event)} noValidate>
      <div className={look.field} data-invalid={fault !== null}>
        <span className={look.currency} aria-hidden="true">
          {currency.toUpperCase()}
        </span>
        <input
          className={look.input}
          data-price
          aria-label={`Price of ${unit.name} in ${currency.toUpperCase()}`}
          aria-invalid={fault !== null}
          aria-describedby={fault ? faultId : undefined}
          inputMode="decimal"
          autoComplete="off"
          autoFocus
          onFocus={(event) => event.currentTarget.select()}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setFault(null)
          }}
          onKeyDown={(event) => event.key === 'Escape' && onClose()}
        />
        <button
          type="submit"
          className={look.save}
          aria-label="Save the price"
          title="Save (Enter)"
          disabled={isWaiting}
        >
          <Check />
        </button>
        <button
          type="button"
          className={look.leave}
          aria-label="Leave the price as it was"
          title="Leave (Esc)"
          onClick={onClose}
        >
          <Cross />
        </button>
      </div>
      {fault && (
        <p id={faultId} className={look.fault} role="alert">
          {fault}
        </p>
      )}
    </form>
  )
}

const changedMeanwhile = (priceCents: number, currency: string) =>
  `Someone else changed this unit; its price is now ${writeMoney(priceCents, currency)}. Save again to replace it.`
