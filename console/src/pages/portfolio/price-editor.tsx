import { useEffect, useId, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import type { Unit } from '@vacancy/client'

import { Check, Cross } from '../../components/icons.tsx'
import { UnsavedChanges } from '../../components/unsaved-changes.tsx'
import { isVersionConflict, useFailureText } from '../../i18n/failure-text.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { moneyMessages } from '../../i18n/money-messages.ts'
import { readPrice, writePlain } from '../../i18n/money.ts'
import { usePriceQuestion } from '../units/use-price-question.tsx'
import { priceMessages } from './price-messages.ts'
import type { UnitVersion } from './use-change-price.ts'
import styles from './price.module.css'

/** What the editor opens with: nothing yet, or the price that was refused and why. */
export interface Draft {
  typedCents: number | null
  failure: unknown
}

interface PriceEditorProps {
  unit: Unit
  draft: Draft
  /** Reads the unit again, so that a save replaces the price that is shown and no other. */
  readVersion: () => Promise<UnitVersion>
  onSave: (priceCents: number, version: UnitVersion) => void
  onClose: () => void
}

export const PriceEditor = ({ unit, draft, readVersion, onSave, onClose }: PriceEditorProps) => {
  const { currency } = unit
  const text = useMessages(priceMessages)
  const moneyText = useMessages(moneyMessages)
  const format = useFormat()
  const describe = useFailureText()
  const [start] = useState(() => writePlain(unit.base_price_cents, currency, format.locale))
  const [typed, setTyped] = useState(() =>
    writePlain(draft.typedCents ?? unit.base_price_cents, currency, format.locale),
  )
  const [fault, setFault] = useState<string | null>(draft.failure ? describe(draft.failure) : null)
  const [isWaiting, setWaiting] = useState(false)
  const shownCents = useRef(unit.base_price_cents)
  const { confirmPrice, dialog } = usePriceQuestion()
  const version = useRef<Promise<UnitVersion> | null>(null)
  const faultId = useId()

  useEffect(() => {
    const reading = readVersion()
    version.current = reading
    reading.then(
      ({ priceCents }) => {
        if (isVersionConflict(draft.failure) || priceCents !== shownCents.current)
          setFault(text('changedMeanwhile', { amount: format.money(priceCents, currency) }))
        shownCents.current = priceCents
      },
      () => {
        version.current = null
      },
    )
  }, [])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const read = readPrice(typed, currency, format.locale)
    if ('fault' in read) return setFault(moneyText(read.fault.key, read.fault.values))
    setWaiting(true)
    try {
      version.current ??= readVersion()
      const now = await version.current
      const change = { beforeCents: now.priceCents, afterCents: read.priceCents, currency }
      if (read.priceCents === now.priceCents) onClose()
      else if (await confirmPrice(change)) onSave(read.priceCents, now)
      else setWaiting(false)
    } catch (failure) {
      version.current = null
      setFault(describe(failure))
      setWaiting(false)
    }
  }

  return (
    <>
      <form className={styles.editor} onSubmit={(event) => void submit(event)} noValidate>
        <UnsavedChanges isDirty={!isWaiting && typed !== start} />
        <div className={styles.field} data-invalid={fault !== null}>
          <span className={styles.currency} aria-hidden="true">
            {currency.toUpperCase()}
          </span>
          <input
            className={styles.input}
            data-price
            aria-label={text('fieldLabel', { unit: unit.name, currency: currency.toUpperCase() })}
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
            className={styles.save}
            aria-label={text('save')}
            title={text('saveHint')}
            disabled={isWaiting}
          >
            <Check />
          </button>
          <button
            type="button"
            className={styles.leave}
            aria-label={text('cancel')}
            title={text('cancelHint')}
            onClick={onClose}
          >
            <Cross />
          </button>
        </div>
        {fault && (
          <p id={faultId} className={styles.fault} role="alert">
            {fault}
          </p>
        )}
      </form>
      {dialog}
    </>
  )
}
