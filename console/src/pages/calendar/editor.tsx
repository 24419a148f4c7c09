import { useEffect, useRef, useState } from 'react'
import type { FormEvent, ReactNode } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'

import { isFirstClick } from '../../components/first-click.ts'
import { Cross } from '../../components/icons.tsx'
import { differing } from '../../components/record-form.ts'
import { UnsavedChanges } from '../../components/unsaved-changes.tsx'
import { useFailure } from '../../components/use-failure.ts'
import { useIsShown } from '../../components/use-is-shown.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { moneyMessages } from '../../i18n/money-messages.ts'
import { useApi } from '../../session/api.tsx'
import { valuesOf } from './change-draft.ts'
import type { ChangeDraft, SelectedNights } from './change-draft.ts'
import { ChangePreview } from './change-preview.tsx'
import { Field, Segments, WeekdayPicker } from './editor-fields.tsx'
import { editorMessages } from './editor-messages.ts'
import { calendarMessages } from './messages.ts'
import { dateOf, weekdays } from './nights.ts'
import { useRatePlans } from './rate-plans.ts'
import { readDraft } from './read-draft.ts'
import type { DraftForm } from './read-draft.ts'
import { previewChange, usePreview, warningsOf } from './use-preview.ts'
import type { Warning } from './use-preview.ts'
import fields from './editor-fields.module.css'
import styles from './editor.module.css'

interface EditorProps {
  selected: SelectedNights
  mayEdit: boolean
  /** What the editor begins with, when it was opened for one purpose. */
  initial?: Partial<DraftForm>
  onPlan: (planId: string | undefined) => void
  /** Resolves with why it could not be saved, or null. What one editor sends again is done once. */
  onSave: (draft: ChangeDraft, editor: string) => Promise<string | null>
  onSaved: () => void
  /** Further things that can be done with the nights; the draft is null while it cannot be read. */
  actions: (draft: ChangeDraft | null) => ReactNode
  onClose: () => void
}

const emptyForm: DraftForm = {
  weekdays: [...weekdays],
  priceKind: 'keep',
  price: '',
  minStay: '',
  maxStay: '',
  arrival: 'keep',
  departure: 'keep',
  sales: 'keep',
  block: 'keep',
  rooms: '',
  reason: '',
}

/** The decisions for the selected nights: price, stays, closures and blocks in one change. */
export const Editor = (props: EditorProps) => {
  const { selected, mayEdit, initial, onPlan, onSave, onSaved, onClose } = props
  const text = useMessages(editorMessages)
  const calendarText = useMessages(calendarMessages)
  const moneyText = useMessages(moneyMessages)
  const format = useFormat()
  const api = useApi()
  const queries = useQueryClient()
  const describe = useFailureText()
  const isShown = useIsShown()
  const [id] = useState(() => crypto.randomUUID())
  const [start] = useState({ ...emptyForm, ...initial })
  const [form, setForm] = useState(start)
  const [fault, setFault] = useFailure<string>()
  const [confirmed, setConfirmed] = useState<Warning[] | null>(null)
  const [isChecking, setChecking] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const panel = useRef<HTMLFormElement>(null)
  useEffect(
    () => panel.current?.querySelector<HTMLElement>('input:checked')?.focus({ preventScroll: true }),
    [],
  )
  const { units, from, to, planId } = selected
  const [first] = units
  const currency = first?.currency ?? 'eur'
  const plans = useRatePlans(units.length === 1 && first ? first.id : null)
  const maxQuantity = Math.max(1, ...units.map(({ quantity }) => quantity))
  const nights = to - from + 1

  const latest = useRef(form)
  const set = (change: Partial<DraftForm>) => {
    latest.current = { ...form, ...change }
    setForm(latest.current)
    setFault(null)
    setConfirmed(null)
  }
  const read = readDraft(form, new Set(units.map((unit) => unit.currency)), format.locale)
  const draft = 'draft' in read ? read.draft : null
  const values = draft && mayEdit ? valuesOf(selected, draft) : null
  const { preview, error } = usePreview(values, previewChange)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if ('fault' in read)
      return setFault(
        read.fault === 'price' ? moneyText(read.price.key, read.price.values) : text(read.fault),
      )
    if (read.draft.price.kind !== 'keep' && confirmed === null) {
      setChecking(true)
      const seen = await queries
        .fetchQuery(previewChange(api, valuesOf(selected, read.draft)))
        .catch(describe)
      setChecking(false)
      if (typeof seen === 'string') return setFault(seen)
      const warnings = warningsOf(seen)
      if (warnings.includes('belowMinimum'))
        return setFault(text('belowMinimum', { nights: seen.nights_below_minimum }))
      if (warnings.length > 0) return setConfirmed(warnings)
    }
    await save(read.draft)
  }
  const save = async (saved: ChangeDraft) => {
    setFault(null)
    setSaving(true)
    const refusal = await onSave(saved, id)
    setSaving(false)
    // What was typed meanwhile is not saved yet.
    if (refusal === null) return isShown.current && latest.current === form && onSaved()
    setFault(refusal)
  }
  const dates = [...new Set([from, to])].map((day) => format.shortDate(dateOf(day))).join(' – ')

  return (
    <form
      ref={panel}
      className={styles.panel}
      aria-label={text('title')}
      noValidate
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <UnsavedChanges isDirty={!isSaving && Object.keys(differing(form, start)).length > 0} />
      <div className={styles.head}>
        <div>
          <h2>
            {units.length === 1 ? first?.name : calendarText('selected', { nights, units: units.length })}
          </h2>
          <p>{units.length === 1 ? `${dates} · ${calendarText('nights', { nights })}` : dates}</p>
        </div>
        <button type="button" className={styles.close} aria-label={text('close')} onClick={onClose}>
          <Cross />
        </button>
      </div>
      {!mayEdit && <p className={styles.fault}>{text('readOnly')}</p>}
      <fieldset className={fields.fields} disabled={!mayEdit}>
        {nights > 1 && <WeekdayPicker value={form.weekdays} onChange={(next) => set({ weekdays: next })} />}
        {plans && plans.length > 1 && (
          <Field label={text('ratePlan')}>
            <select
              value={planId ?? ''}
              onChange={({ currentTarget: { value } }) => onPlan(value || undefined)}
            >
              {plans.map(({ id, name, is_default }) => (
                <option key={id} value={is_default ? '' : id}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
        )}
        <Segments
          label={text('price')}
          name="price"
          value={form.priceKind}
          options={(['keep', 'set', 'percent', 'add', 'default'] as const).map((value) => ({
            value,
            label: text(value),
          }))}
          onChange={(priceKind) => set({ priceKind })}
        >
          {['set', 'percent', 'add'].includes(form.priceKind) && (
            <label className={fields.amount}>
              <span>{form.priceKind === 'percent' ? '%' : currency.toUpperCase()}</span>
              <input
                key={form.priceKind}
                ref={focusWhenShown}
                inputMode="decimal"
                autoComplete="off"
                placeholder={form.priceKind === 'set' ? '' : form.priceKind === 'percent' ? '10' : '-5'}
                aria-label={
                  form.priceKind === 'percent'
                    ? text('percentAmount')
                    : text('amount', { currency: currency.toUpperCase() })
                }
                value={form.price}
                onChange={(event) => set({ price: event.currentTarget.value })}
              />
            </label>
          )}
        </Segments>
        {draft && draft.price.kind !== 'keep' && (
          <ChangePreview preview={preview} units={units} fault={error ? describe(error) : null} />
        )}
        <div className={fields.pair}>
          {(['minStay', 'maxStay'] as const).map((name) => (
            <Field key={name} label={text(name)}>
              <input
                inputMode="numeric"
                autoComplete="off"
                placeholder="–"
                value={form[name]}
                onChange={(event) => set({ [name]: event.currentTarget.value })}
              />
            </Field>
          ))}
        </div>
        <div className={fields.triple}>
          {(['arrival', 'departure', 'sales'] as const).map((name) => (
            <Field key={name} label={text(name)}>
              <select value={form[name]} onChange={(event) => set({ [name]: event.currentTarget.value })}>
                <option value="keep">–</option>
                <option value="closed">{text('closed')}</option>
                <option value="open">{text('open')}</option>
              </select>
            </Field>
          ))}
        </div>
        {!planId && (
          <Segments
            label={text('block')}
            name="block"
            value={form.block}
            options={(['keep', 'block', 'unblock'] as const).map((value) => ({
              value,
              label: text(value === 'block' ? 'blockNights' : value),
            }))}
            onChange={(block) => set({ block })}
          >
            {form.block === 'block' && (
              <div className={maxQuantity > 1 ? fields.reasonAndRooms : ''}>
                <input
                  className={fields.text}
                  maxLength={255}
                  autoComplete="off"
                  aria-label={text('reason')}
                  placeholder={text('reason')}
                  value={form.reason}
                  onChange={(event) => set({ reason: event.currentTarget.value })}
                />
                {maxQuantity > 1 && (
                  <input
                    className={fields.text}
                    inputMode="numeric"
                    aria-label={text('rooms')}
                    placeholder={text('allRooms')}
                    value={form.rooms}
                    onChange={(event) => set({ rooms: event.currentTarget.value })}
                  />
                )}
              </div>
            )}
          </Segments>
        )}
      </fieldset>
      <div className={styles.foot}>
        {fault && (
          <p className={styles.fault} role="alert">
            {fault}
          </p>
        )}
        {confirmed && (
          <p className={styles.warning} role="alert">
            {[
              ...confirmed.map((warning) => text(warning, { nights: preview?.nights_over_half ?? 0 })),
              text('confirm'),
            ].join(' ')}
          </p>
        )}
        <Button
          type="submit"
          fullWidth
          loading={isChecking || isSaving}
          disabled={!mayEdit}
          onClick={(click) => confirmed && !isFirstClick(click) && click.preventDefault()}
        >
          {text(confirmed ? 'saveAnyway' : 'save')}
        </Button>
        {props.actions(draft)}
      </div>
    </form>
  )
}

/** Given the same function each time, React calls it only when the field appears. */
const focusWhenShown = (field: HTMLInputElement | null) => field?.focus({ preventScroll: true })
