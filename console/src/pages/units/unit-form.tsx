import { getUnit, updateUnit } from '@vacancy/client'
import type { Unit } from '@vacancy/client'

import { componentMessages } from '../../components/component-messages.ts'
import { FormFrame } from '../../components/form-frame.tsx'
import { useReadFields } from '../../components/read-fields.ts'
import { pickNamed, useRecordForm } from '../../components/record-form.ts'
import { useToast } from '../../components/toast.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { useSpaces } from '../portfolio/use-portfolio-records.ts'
import { unitMessages } from './messages.ts'
import { bodyOf, draftOf } from './unit-draft.ts'
import { UnitFields } from './unit-fields.tsx'
import { usePriceQuestion } from './use-price-question.tsx'
import { useRefreshInventory } from './use-unit.ts'
import styles from './unit.module.css'

/** The facts of a unit, changed in place. */
export const UnitForm = ({ unit, etag }: { unit: Unit; etag: string | null }) => {
  const text = useMessages(unitMessages)
  const common = useMessages(componentMessages)
  const format = useFormat()
  const api = useApi()
  const toast = useToast()
  const { may } = useCaller()
  const readFields = useReadFields()
  const refresh = useRefreshInventory()
  const { confirmPrice, dialog } = usePriceQuestion()
  const spaces = useSpaces().data ?? [unit.space]
  const { id, currency } = unit

  const form = useRecordForm({
    current: draftOf(unit, format.locale),
    etag,
    refresh: () => refresh(getUnit.path),
    save: async (draft, changed, ifMatch) => {
      const body = readFields(draft, (read) => bodyOf(read, draft, currency))
      const { base_price_cents: afterCents } = body
      const isPriceChanged = changed.has('base_price_cents')
      if (
        isPriceChanged &&
        !(await confirmPrice({ beforeCents: unit.base_price_cents, afterCents, currency }))
      )
        return false
      await api.send(updateUnit, {
        path: { id },
        body: {
          ...pickNamed(body, changed),
          ...(isPriceChanged && afterCents === 0 && { free_of_charge: true }),
        },
        ifMatch,
      })
      toast({ message: common('saved') })
      return true
    },
  })
  const refusal = !may('units:write')
    ? text('mayNotWrite')
    : unit.status === 'archived'
      ? text('archivedReason')
      : undefined
  const options = spaces.some((space) => space.id === unit.space_id) ? spaces : [unit.space, ...spaces]
  return (
    <>
      <FormFrame form={form} refusal={refusal}>
        <UnitFields
          form={form}
          currency={currency}
          spaces={options.map((space) => ({ value: space.id, label: space.name }))}
        >
          <p className={styles.hint}>{text('calendarHint')}</p>
        </UnitFields>
      </FormFrame>
      {dialog}
    </>
  )
}
