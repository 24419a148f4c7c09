import { ChoiceField, NumberField, TextField } from '../../components/form-fields.tsx'
import form from '../../components/form.module.css'
import type { RecordForm } from '../../components/record-form.ts'
import { Section } from '../../components/section.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { recordStatusMessages, unitTypeMessages } from '../../i18n/record-messages.ts'
import { unitMessages } from './messages.ts'
import type { UnitDraft } from './unit-draft.ts'

interface UnitFieldsProps<D extends UnitDraft> {
  form: RecordForm<D>
  /** Of the space; it is written at the prices. */
  currency: string
  spaces: readonly { value: string; label: string }[]
  /** What else the section says, below the price. */
  children?: React.ReactNode
  /** Fields of a space that is created with the unit. */
  spaceFields?: React.ReactNode
}

type Type = keyof (typeof unitTypeMessages)['en']
type Status = 'active' | 'inactive' | 'maintenance' | 'archived'

const statuses: readonly Status[] = ['active', 'inactive', 'maintenance']

/** All that is known of a unit itself. */
export const UnitFields = <D extends UnitDraft>(props: UnitFieldsProps<D>) => {
  const { form: fields, currency, spaces, children, spaceFields } = props
  const text = useMessages(unitMessages)
  const typeText = useMessages(unitTypeMessages)
  const statusText = useMessages(recordStatusMessages)
  const types = Object.keys(unitTypeMessages.en) as Type[]
  const shown = fields.draft.status === 'archived' ? [...statuses, 'archived' as const] : statuses
  const money = currency.toUpperCase()
  return (
    <>
      <Section title={text('details')}>
        <div className={form.form}>
          <TextField form={fields} name="name" label={text('name')} isWide />
          <ChoiceField
            form={fields}
            name="space_id"
            label={text('space')}
            description={text('spaceHint')}
            options={spaces}
            isWide
          />
          {spaceFields}
          <ChoiceField
            form={fields}
            name="type"
            label={text('type')}
            options={types.map((value) => ({ value, label: typeText(value) }))}
          />
          <ChoiceField
            form={fields}
            name="status"
            label={text('status')}
            options={shown.map((value) => ({ value, label: statusText(value) }))}
          />
          <NumberField form={fields} name="bedrooms" label={text('bedrooms')} />
          <NumberField form={fields} name="bathrooms" label={text('bathrooms')} />
          <NumberField form={fields} name="max_guests" label={text('guests')} />
          <NumberField form={fields} name="quantity" label={text('quantity')} />
        </div>
      </Section>
      <Section title={text('price')}>
        <div className={form.form}>
          <NumberField
            form={fields}
            name="base_price_cents"
            label={text('basePrice')}
            description={text('basePriceHint')}
            unit={money}
          />
          <NumberField
            form={fields}
            name="min_price_cents"
            label={text('floor')}
            description={text('floorHint')}
            unit={money}
          />
        </div>
        {children}
      </Section>
    </>
  )
}
