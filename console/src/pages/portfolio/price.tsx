import { useRef, useState } from 'react'
import type { Unit } from '@vacancy/client'

import { Pencil } from '../../components/icons.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { PriceEditor } from './price-editor.tsx'
import type { Draft } from './price-editor.tsx'
import { priceMessages } from './price-messages.ts'
import type { PriceChange } from './undo-toast.tsx'
import { useChangePrice } from './use-change-price.ts'
import type { UnitVersion } from './use-change-price.ts'
import styles from './price.module.css'

interface PriceProps {
  unit: Unit
  onChange: (change: PriceChange) => void
}

/** The price of a unit, which becomes its own editor. */
export const Price = ({ unit, onChange }: PriceProps) => {
  const text = useMessages(priceMessages)
  const format = useFormat()
  const { may } = useCaller()
  const { readVersion, change } = useChangePrice(unit)
  const [draft, setDraft] = useState<Draft | null>(null)
  const [isSaving, setSaving] = useState(false)
  const button = useRef<HTMLButtonElement>(null)

  const reason = !may('units:write')
    ? text('readOnlyRole')
    : unit.status === 'archived'
      ? text('archived')
      : null
  const close = () => {
    setDraft(null)
    requestAnimationFrame(() => button.current?.focus())
  }

  const save = async (toCents: number, version: UnitVersion) => {
    close()
    setSaving(true)
    try {
      const after = await change(toCents, version)
      onChange({ unit, fromCents: version.priceCents, toCents, after })
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
        readVersion={readVersion}
        onSave={(priceCents, version) => void save(priceCents, version)}
        onClose={close}
      />
    )
  }
  const amount = format.money(unit.base_price_cents, unit.currency)
  return (
    <div className={styles.cell}>
      <button
        ref={button}
        type="button"
        className={styles.price}
        data-price
        data-saving={isSaving}
        aria-disabled={reason !== null}
        aria-label={text('label', { unit: unit.name, amount, action: reason ?? text('change') })}
        title={reason ?? text('change')}
        onClick={() => !reason && !isSaving && setDraft({ typedCents: null, failure: null })}
      >
        <Pencil />
        {amount}
      </button>
    </div>
  )
}
