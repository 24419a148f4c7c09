import { useEffect, useRef, useState } from 'react'
import type { FormEvent, ReactNode } from 'react'
import { Button } from '@mantine/core'

import { Cross } from '../../components/icons.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { moneyMessages } from '../../i18n/money-messages.ts'
import { previewPrices } from './change-draft.ts'
import type { ChangeDraft, PriceWarning, SelectedUnit } from './change-draft.ts'
import { editorMessages } from './editor-messages.ts'
import { calendarMessages } from './messages.ts'
import { dateOf, weekdays } from './nights.ts'
import { readDraft } from './read-draft.ts'
import type { DraftForm } from './read-draft.ts'
import styles from './editor.module.css'

interface EditorProps {
  units: readonly SelectedUnit[]
  nights: number
  currency: string
  mayEdit: boolean
  fault: string | null
  isSaving: boolean
  onSave: (draft: ChangeDraft) => void
  onClose: () => void
}

const emptyForm: DraftForm = {
  weekdays: [...weekdays],
  priceKind: 'keep',
  price: '',
  minStay: '',
  arrival: 'keep',
  departure: 'keep',
  sales: 'keep',
  block: 'keep',
  reason: '',
}

/** The decisions for the selected nights: price, stays, closures and blocks in one change. */
export const Editor = (props: EditorProps) => {
  const { units, nights, currency, mayEdit, isSaving, onSave, onClose } = props
  const text = useMessages(editorMessages)
  const calendarText = useMessages(calendarMessages)
  const moneyText = useMessages(moneyMessages)
  const format = useFormat()
  const [form, setForm] = useState(emptyForm)
  const [fault, setFault] = useState<string | null>(null)
  const [confirmed, setConfirmed] = useState<PriceWarning[] | null>(null)
  const first = useRef<HTMLSelectElement>(null)
  useEffect(() => first.current?.focus({ preventScroll: true }), [])

  const set = (change: Partial<DraftForm>) => {
    setForm({ ...form, ...change })
    setFault(null)
    setConfirmed(null)
  }
  const read = readDraft(form, currency, format.locale)
  const preview =
    'draft' in read && read.draft.price.kind !== 'keep' ? previewPrices(units, read.draft) : null

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if ('fault' in read)
      return setFault(
        read.fault === 'price' ? moneyText(read.price.key, read.price.values) : text(read.fault),
      )
    const warnings = preview?.warnings ?? []
    if (warnings.length > 0 && confirmed === null) return setConfirmed(warnings)
    onSave(read.draft)
  }
  const range = ([min, max]: [number, number]) =>
    min === max
      ? format.money(min, currency)
      : `${format.money(min, currency)} – ${format.money(max, currency)}`
  const shownFault = props.fault ?? fault
  const choice = (name: 'arrival' | 'departure' | 'sales', openLabel: string) => (
    <Field label={text(name)}>
      <select value={form[name]} onChange={(event) => set({ [name]: event.currentTarget.value })}>
        <option value="keep">{text('keep')}</option>
        <option value="closed">{text('closed')}</option>
        <option value="open">{openLabel}</option>
      </select>
    </Field>
  )

  return (
    <form
      className={styles.panel}
      aria-label={text('title')}
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div className={styles.head}>
        <div>
          <h2>{text('title')}</h2>
          <p>{calendarText('selected', { nights, units: units.length })}</p>
        </div>
        <button type="button" className={styles.close} aria-label={text('close')} onClick={onClose}>
          <Cross />
        </button>
      </div>
      <fieldset className={styles.weekdays}>
        <legend>{text('onlyOn')}</legend>
        {weekdays.map((weekday, index) => (
          <label key={weekday}>
            <input
              type="checkbox"
              checked={form.weekdays.includes(weekday)}
              onChange={({ currentTarget: { checked } }) =>
                set({
                  weekdays: weekdays.filter((one) =>
                    one === weekday ? checked : form.weekdays.includes(one),
                  ),
                })
              }
            />
            <span>{format.weekday(dateOf(4 + index))}</span>
          </label>
        ))}
      </fieldset>
      <Field label={text('price')}>
        <select
          ref={first}
          value={form.priceKind}
          onChange={(event) => set({ priceKind: event.currentTarget.value as DraftForm['priceKind'] })}
        >
          {(['keep', 'set', 'percent', 'add', 'default'] as const).map((kind) => (
            <option key={kind} value={kind}>
              {text(kind)}
            </option>
          ))}
        </select>
        {['set', 'percent', 'add'].includes(form.priceKind) && (
          <input
            inputMode="decimal"
            autoComplete="off"
            aria-label={
              form.priceKind === 'percent'
                ? text('percentAmount')
                : text('amount', { currency: currency.toUpperCase() })
            }
            value={form.price}
            onChange={(event) => set({ price: event.currentTarget.value })}
          />
        )}
      </Field>
      {preview?.beforeCents && preview.afterCents && (
        <p className={styles.preview} role="status">
          {text('preview', {
            before: range(preview.beforeCents),
            after: range(preview.afterCents),
            nights: preview.nights,
          })}
        </p>
      )}
      <Field label={text('minStay')}>
        <input
          inputMode="numeric"
          autoComplete="off"
          placeholder={text('keep')}
          value={form.minStay}
          onChange={(event) => set({ minStay: event.currentTarget.value })}
        />
      </Field>
      {choice('arrival', text('allowed'))}
      {choice('departure', text('allowed'))}
      {choice('sales', text('open'))}
      <Field label={text('block')}>
        <select
          value={form.block}
          onChange={(event) => set({ block: event.currentTarget.value as DraftForm['block'] })}
        >
          <option value="keep">{text('keep')}</option>
          <option value="block">{text('blockNights')}</option>
          <option value="unblock">{text('unblock')}</option>
        </select>
      </Field>
      {form.block === 'block' && (
        <Field label={text('reason')}>
          <input
            maxLength={255}
            autoComplete="off"
            value={form.reason}
            onChange={(event) => set({ reason: event.currentTarget.value })}
          />
        </Field>
      )}
      {shownFault && (
        <p className={styles.fault} role="alert">
          {shownFault}
        </p>
      )}
      {confirmed && (
        <p className={styles.warning} role="alert">
          {[...confirmed.map((warning) => text(warning)), text('confirm')].join(' ')}
        </p>
      )}
      {!mayEdit && <p className={styles.fault}>{text('readOnly')}</p>}
      <Button type="submit" fullWidth loading={isSaving} disabled={!mayEdit}>
        {text(confirmed ? 'saveAnyway' : 'save')}
      </Button>
    </form>
  )
}

const Field = ({ label, children }: { label: string; children: ReactNode }) => (
  <label className={styles.field}>
    <span>{label}</span>
    <span className={styles.inputs}>{children}</span>
  </label>
)
