import { useMemo } from 'react'

import { ChoiceField, TextAreaField, TextField } from '../../components/form-fields.tsx'
import type { Draft, RecordForm } from '../../components/record-form.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { countryOptions, currencyOptions, timeZoneOptions } from '../../i18n/places.ts'
import { recordStatusMessages } from '../../i18n/record-messages.ts'
import { spaceMessages } from './messages.ts'
import type { SpaceDraft } from './space-draft.ts'

interface PlaceFieldsProps<D extends Draft> {
  form: RecordForm<D>
  /** What the fields are called in the draft: `country` of a space, `space_country` of a unit with a new space. */
  nameOf: (name: 'city' | 'country' | 'timezone' | 'currency') => keyof D & string
}

/** Where a space is, its clock and its money. */
export const PlaceFields = <D extends Draft>({ form, nameOf }: PlaceFieldsProps<D>) => {
  const text = useMessages(spaceMessages)
  const { locale } = useFormat()
  const zone = form.draft[nameOf('timezone')] ?? 'UTC'
  const currency = form.draft[nameOf('currency')] ?? ''
  const options = useMemo(
    () => ({
      countries: [{ value: '', label: text('noCountry') }, ...countryOptions(locale)],
      currencies: currencyOptions(locale, currency),
      zones: timeZoneOptions(zone),
    }),
    [locale, text, zone, currency],
  )
  return (
    <>
      <TextField form={form} name={nameOf('city')} label={text('city')} />
      <ChoiceField form={form} name={nameOf('country')} label={text('country')} options={options.countries} />
      <ChoiceField
        form={form}
        name={nameOf('timezone')}
        label={text('timezone')}
        description={text('timezoneHint')}
        options={options.zones}
      />
      <ChoiceField
        form={form}
        name={nameOf('currency')}
        label={text('currency')}
        description={text('currencyHint')}
        options={options.currencies}
      />
    </>
  )
}

const statuses = ['draft', 'active', 'inactive'] as const

/** All that is known of a space itself. */
export const SpaceFields = ({ form }: { form: RecordForm<SpaceDraft> }) => {
  const text = useMessages(spaceMessages)
  const statusText = useMessages(recordStatusMessages)
  const shown = form.draft.status === 'archived' ? (['archived'] as const) : statuses
  return (
    <>
      <TextField form={form} name="name" label={text('name')} />
      <ChoiceField
        form={form}
        name="status"
        label={text('status')}
        options={shown.map((value) => ({ value, label: statusText(value) }))}
      />
      <TextField form={form} name="address" label={text('address')} maxLength={500} isWide />
      <TextField form={form} name="zip" label={text('zip')} maxLength={32} />
      <TextField form={form} name="state" label={text('state')} />
      <PlaceFields form={form} nameOf={(name) => name} />
      <TextAreaField form={form} name="description" label={text('description')} maxLength={10_000} isWide />
      <TextField
        form={form}
        name="amenities"
        label={text('amenities')}
        description={text('amenitiesHint')}
        maxLength={2000}
        isWide
      />
    </>
  )
}
