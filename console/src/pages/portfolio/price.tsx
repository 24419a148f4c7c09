import { useRef, useState } from 'react'
import type { Unit } from '@vacancy/client'

import { useCaller } from '../../api.tsx'
import { Pencil } from '../../parts/icons.tsx'
import { writeMoney } from '../../parts/money.ts'
import { useChangePrice } from './change-price.ts'
import type { Seen } from './change-price.ts'
import { PriceEditor, type Draft } from './price-editor.tsx'
import type { PriceChange } from './price-news.tsx'
import look from './price.module.css'

interface PriceProps {
  unit: Unit
  onChange: (change: PriceChange) => void
}

/** The price of a unit, which turns into its own editor. */
export const Price = ({ unit, onChange }: PriceProps) => {
  const { may } = useCaller()
  const { look: lookAt, change } = useChangePrice(unit)
  const [draft, setDraft] = useState<Draft | null>(null)
  const [isSaving, setSaving] = useState(false)
  const button = useRef<HTMLButtonElement>(null)

  const reason = may('units:write') ? whyFixed(unit) : 'Your role may look at prices but not change them'
  const close = () => {
    setDraft(null)
    requestAnimationFrame(() => button.current?.focus())
  }

  const save = async (toCents: number, seen: Seen) => {
    close()
    setSaving(true)
    try {
      const after = await change(toCents, seen)
      onChange({ unit, fromCents: seen.priceCents, toCents, after })
    } catch (failure) {
      setDraft({ typedCents: toCents, failure })
    } finally {
      setSaving(false)
    }
  }

  if (draft) {
    return (
      <PriceEditor
        unit={unit}
        draft={draft}
        lookAt={lookAt}
        onSave={(priceCents, seen) => void save(priceCents, seen)}
        onClose={close}
      />
    )
  }
  const amount = writeMoney(unit.base_price_cents, unit.currency)
  return (
    <div className={look.cell}>
      <button
        ref={button}
        type="button"
        className={look.price}
        data-price
        data-saving={isSaving}
        aria-disabled={reason !== null}
        aria-label={`${unit.name}: ${amount} a night. ${reason ?? 'Change the price'}`}
        title={reason ?? 'Change the price'}
        onClick={() => !reason && !isSaving && setDraft({ typedCents: null, failure: null })}
      >
        <Pencil />
        {amount}
      </button>
    </div>
  )
}

const whyFixed = (unit: Unit): string | null =>
  unit.status === 'archived' ? 'An archived unit cannot be changed' : null
