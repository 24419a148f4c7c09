import { useRef, useState } from 'react'
import type { Unit } from '@vacancy/client'

import { Pencil } from '../../components/icons.tsx'
import { useToast } from '../../components/toast.tsx'
import { useIsShown } from '../../components/use-is-shown.ts'
import { isVersionConflict, useFailureText } from '../../i18n/failure-text.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { PriceEditor } from './price-editor.tsx'
import type { Draft } from './price-editor.tsx'
import { priceMessages } from './price-messages.ts'
import { useChangePrice } from './use-change-price.ts'
import type { UnitVersion } from './use-change-price.ts'
import styles from './price.module.css'

/** The price of a unit, which becomes its own editor. */
export const Price = ({ unit }: { unit: Unit }) => {
  const text = useMessages(priceMessages)
  const format = useFormat()
  const showToast = useToast()
  const { may } = useCaller()
  const { readVersion, change } = useChangePrice(unit)
  const [draft, setDraft] = useState<Draft | null>(null)
  const [isSaving, setSaving] = useState(false)
  const isShown = useIsShown()
  const failureText = useFailureText()
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

  const describe = (key: 'changed' | 'restored', cents: number) =>
    text(key, { unit: unit.name, amount: format.money(cents, unit.currency) })

  /** An undo must not undo somebody else's change. */
  const restore = async (cents: number, after: UnitVersion): Promise<string> => {
    try {
      await change(cents, after)
      return describe('restored', cents)
    } catch (failure) {
      if (isVersionConflict(failure)) return text('undoConflict')
      throw failure
    }
  }

  const save = async (toCents: number, version: UnitVersion) => {
    close()
    setSaving(true)
    try {
      const after = await change(toCents, version)
      showToast({ message: describe('changed', toCents), undo: () => restore(version.priceCents, after) })
    } catch (failure) {
      setDraft({ typedCents: toCents, failure })
      if (!isShown.current) showToast({ message: failureText(failure) })
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
