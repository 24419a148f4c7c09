import { useQueryClient } from '@tanstack/react-query'
import { createRatePlan, deleteRatePlan, getRatePlan, listRatePlans, updateRatePlan } from '@vacancy/client'
import type { contract, Unit } from '@vacancy/client'

import { componentMessages } from '../../components/component-messages.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { EditableList } from '../../components/editable-list.tsx'
import { ChoiceField, TextField } from '../../components/form-fields.tsx'
import styles from '../../components/form.module.css'
import { useReadFields } from '../../components/read-fields.ts'
import { useRecordForm } from '../../components/record-form.ts'
import { useEditedRecord } from '../../components/use-edited-record.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller, useSendOnce } from '../../session/api.tsx'
import { pricingMessages } from './messages.ts'

type RatePlan = contract.RatePlan

const mealPlans = ['none', 'breakfast', 'half_board', 'full_board', 'all_inclusive'] as const
const statuses = ['active', 'inactive', 'archived'] as const

/** The ways to sell a unit: with which meals, and which of them is the default. */
export const RatePlansSection = ({ unit }: { unit: Unit }) => {
  const text = useMessages(pricingMessages)
  const api = useApi()
  const queries = useQueryClient()
  const { may } = useCaller()
  const list = useRecords(listRatePlans, { query: { unit_id: [unit.id], limit: 100 } })
  const refresh = () => queries.invalidateQueries({ queryKey: [listRatePlans.path] })
  return (
    <EditableList
      title={text('plans')}
      add={text('addPlan')}
      none={text('noPlans')}
      records={list.records}
      error={list.error}
      onRetry={list.refetch}
      more={list}
      refusal={may('units:write') ? undefined : text('mayNot')}
      deleteText={text('deletePlanText')}
      onDelete={async ({ id }) => {
        await api.send(deleteRatePlan, { path: { id } })
        await refresh()
      }}
      dialog={(plan, onClose) => (
        <RatePlanDialog unitId={unit.id} plan={plan} onSaved={refresh} onClose={onClose} />
      )}
    >
      {(plan) => (
        <>
          <strong>{plan.name}</strong>
          <p>
            {[
              text(plan.meal_plan),
              plan.is_default && text('default'),
              plan.status !== 'active' && text(plan.status),
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
        </>
      )}
    </EditableList>
  )
}

interface RatePlanDialogProps {
  unitId: string
  plan: RatePlan | null
  onSaved: () => Promise<unknown>
  onClose: () => void
}

const RatePlanDialog = ({ unitId, plan, onSaved, onClose }: RatePlanDialogProps) => {
  const text = useMessages(pricingMessages)
  const common = useMessages(componentMessages)
  const api = useApi()
  const sendOnce = useSendOnce()
  const readFields = useReadFields()
  const { reply, isReady, note, ...source } = useEditedRecord(getRatePlan, plan?.id, onSaved)
  const known = reply?.rate_plan ?? plan
  const form = useRecordForm({
    current: {
      name: known?.name ?? '',
      meal_plan: known?.meal_plan ?? 'none',
      is_default: known?.is_default ? 'yes' : 'no',
      status: known?.status ?? 'active',
    },
    ...source,
    save: async (draft, _changed, ifMatch) => {
      const body = readFields(draft, (read) => ({
        name: read.text('name'),
        meal_plan: draft.meal_plan,
        is_default: draft.is_default === 'yes',
        status: draft.status,
      }))
      await (plan
        ? api.send(updateRatePlan, { path: { id: plan.id }, body, ifMatch })
        : sendOnce(createRatePlan, { body: { ...body, unit_id: unitId } }))
    },
  })
  return (
    <ConfirmDialog
      title={text(plan ? 'editPlan' : 'addPlan')}
      action={common(plan ? 'save' : 'create')}
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
          name="meal_plan"
          label={text('meals')}
          options={mealPlans.map((value) => ({ value, label: text(value) }))}
        />
        <ChoiceField
          form={form}
          name="status"
          label={text('status')}
          options={statuses.map((value) => ({ value, label: text(value) }))}
        />
        <ChoiceField
          form={form}
          name="is_default"
          label={text('isDefault')}
          isWide
          options={(['yes', 'no'] as const).map((value) => ({ value, label: text(value) }))}
        />
      </div>
    </ConfirmDialog>
  )
}
