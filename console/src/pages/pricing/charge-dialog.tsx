import { createCharge, getCharge, updateCharge } from '@vacancy/client'

import { componentMessages } from '../../components/component-messages.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { ChoiceField, NumberField, TextField } from '../../components/form-fields.tsx'
import styles from '../../components/form.module.css'
import { useReadFields } from '../../components/read-fields.ts'
import { useRecordForm } from '../../components/record-form.ts'
import { useEditedRecord } from '../../components/use-edited-record.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useSendOnce } from '../../session/api.tsx'
import { bases, bodyOf, draftOf, fieldsOf, kinds } from './charge-draft.ts'
import type { Charge, ChargeDraft, ChargePlace } from './charge-draft.ts'
import { pricingMessages } from './messages.ts'

interface ChargeDialogProps {
  place: ChargePlace
  charge: Charge | null
  onSaved: () => Promise<unknown>
  onClose: () => void
}

/** The form of a charge: only the fields that its kind and basis have. */
export const ChargeDialog = ({ place, charge, onSaved, onClose }: ChargeDialogProps) => {
  const text = useMessages(pricingMessages)
  const common = useMessages(componentMessages)
  const { locale } = useFormat()
  const api = useApi()
  const sendOnce = useSendOnce()
  const readFields = useReadFields()
  const { currency } = place
  const { reply, isReady, note, ...source } = useEditedRecord(getCharge, charge?.id, onSaved)
  const form = useRecordForm<ChargeDraft>({
    current: draftOf(reply?.charge ?? charge, currency, locale),
    ...source,
    save: async (draft, _changed, ifMatch) => {
      const body = readFields(draft, (read) => bodyOf(read, draft, currency))
      const ofPlace = place.unitId ? { unit_id: place.unitId } : { space_id: place.spaceId }
      await (charge
        ? api.send(updateCharge, { path: { id: charge.id }, body, ifMatch })
        : sendOnce(createCharge, { body: { ...body, ...ofPlace } }))
    },
  })
  const has = fieldsOf(form.draft)
  const yesNo = (['yes', 'no'] as const).map((value) => ({ value, label: text(value) }))
  const field = (name: keyof ChargeDraft, label: Parameters<typeof text>[0]) => (
    <NumberField form={form} name={name} label={text(label)} description={text('optional')} />
  )
  return (
    <ConfirmDialog
      title={text(charge ? 'editCharge' : 'addCharge')}
      action={common(charge ? 'save' : 'create')}
      fields={form.fields}
      isReady={isReady}
      onConfirm={form.send}
      onClose={onClose}
    >
      {note}
      <div className={styles.form}>
        <TextField form={form} name="name" label={text('name')} isWide autoFocus />
        <ChoiceField
          form={form}
          name="kind"
          label={text('kind')}
          options={kinds.map((value) => ({ value, label: text(value) }))}
        />
        <ChoiceField
          form={form}
          name="basis"
          label={text('basis')}
          options={bases.map((value) => ({ value, label: text(`per_${value}`) }))}
        />
        {has.percent ? (
          <NumberField form={form} name="percent" label={text('percent')} unit="%" />
        ) : (
          <NumberField form={form} name="amount_cents" label={text('amount')} unit={currency.toUpperCase()} />
        )}
        <ChoiceField
          form={form}
          name="status"
          label={text('status')}
          options={(['active', 'inactive'] as const).map((value) => ({ value, label: text(value) }))}
        />
        {has.applies_to && (
          <ChoiceField
            form={form}
            name="applies_to"
            label={text('appliesTo')}
            options={(['base', 'base_and_fees'] as const).map((value) => ({ value, label: text(value) }))}
          />
        )}
        {has.included && <ChoiceField form={form} name="included" label={text('included')} options={yesNo} />}
        {field('min_nights', 'minNights')}
        {field('max_nights', 'maxNights')}
        {has.charged_nights && field('charged_nights', 'chargedNights')}
        {has.guests_included && field('guests_included', 'guestsIncluded')}
      </div>
    </ConfirmDialog>
  )
}
