import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { createSpace, createUnit, getUnit } from '@vacancy/client'
import type { Space } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { componentMessages } from '../../components/component-messages.ts'
import { TextField } from '../../components/form-fields.tsx'
import { FormFrame } from '../../components/form-frame.tsx'
import styles from '../../components/form.module.css'
import { InvalidFields } from '../../components/invalid-fields.ts'
import { Page } from '../../components/page.tsx'
import { fieldFaults, ProblemNote } from '../../components/problem-note.tsx'
import { useReadFields } from '../../components/read-fields.ts'
import { useRecordForm } from '../../components/record-form.ts'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { useToast } from '../../components/toast.tsx'
import { useNavigateIfShown } from '../../components/use-navigate-if-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller, useSendOnce } from '../../session/api.tsx'
import { useSpaces } from '../portfolio/use-portfolio-records.ts'
import { emptyDraft as emptySpace } from '../spaces/space-draft.ts'
import { PlaceFields } from '../spaces/space-fields.tsx'
import { unitMessages } from './messages.ts'
import { bodyOf, emptyDraft } from './unit-draft.ts'
import { UnitFields } from './unit-fields.tsx'
import { usePriceQuestion } from './use-price-question.tsx'
import { useRefreshInventory } from './use-unit.ts'

const route = getRouteApi('/units/new')
const newSpace = 'new'

/** One form for a new unit, in a space that exists or together with a new one. */
export const NewUnit = () => {
  const text = useMessages(unitMessages)
  const { data: spaces, error, refetch } = useSpaces()
  return (
    <Page title={text('newUnit')} width="narrow" back={{ link: { to: '/units' }, place: text('units') }}>
      <ProblemNote failure={spaces ? null : error} onRetry={() => void refetch()} />
      {spaces ? <NewUnitForm spaces={spaces} /> : !error && <TableSkeleton />}
    </Page>
  )
}

const NewUnitForm = ({ spaces }: { spaces: readonly Space[] }) => {
  const text = useMessages(unitMessages)
  const common = useMessages(componentMessages)
  const sendOnce = useSendOnce()
  const toast = useToast()
  const navigate = useNavigateIfShown()
  const { may } = useCaller()
  const readFields = useReadFields()
  const refresh = useRefreshInventory()
  const { confirmPrice, dialog } = usePriceQuestion()
  const { space: chosen } = route.useSearch()
  const open = spaces.filter(({ status }) => status !== 'archived')
  const like = emptySpace(open[0])

  const form = useRecordForm({
    current: {
      ...emptyDraft,
      space_id: open.find(({ id }) => id === chosen)?.id ?? open[0]?.id ?? newSpace,
      space_name: '',
      space_city: like.city,
      space_country: like.country,
      space_timezone: like.timezone,
      space_currency: like.currency,
    },
    save: async (draft) => {
      const currency = currencyOf(draft)
      const { space, ...body } = readFields(draft, (read) => ({
        ...bodyOf(read, draft, currency),
        space:
          draft.space_id === newSpace
            ? {
                name: read.text('space_name'),
                city: read.optionalText('space_city'),
                country: read.optionalText('space_country'),
                timezone: draft.space_timezone,
                currency,
              }
            : null,
      }))
      const isFree = body.base_price_cents === 0
      if (!(await confirmPrice({ afterCents: body.base_price_cents, currency }))) return false
      const spaceId = space ? await addSpace(space) : draft.space_id
      const { unit } = await sendOnce(createUnit, {
        body: { ...body, space_id: spaceId, currency, ...(isFree && { free_of_charge: true }) },
      })
      await navigate({ to: '/units/$unitId', params: { unitId: unit.id } })
      toast({ message: text('created', { name: unit.name }) })
      void refresh(getUnit.path)
      return true
    },
  })
  const currencyOf = ({ space_id, space_currency }: typeof form.draft) =>
    spaces.find(({ id }) => id === space_id)?.currency ?? space_currency

  /** Creates the space first; when the unit is refused then, the space is there to choose. */
  const addSpace = async (body: { name: string }) => {
    try {
      const { space } = await sendOnce(createSpace, { body })
      await refresh('spaces')
      form.change({ space_id: space.id })
      return space.id
    } catch (cause) {
      const faults: Partial<Record<string, string>> = {}
      for (const [name, fault] of Object.entries(fieldFaults(cause))) faults[`space_${name}`] = fault
      throw Object.keys(faults).length > 0 ? new InvalidFields(faults) : cause
    }
  }
  const isNewSpace = form.draft.space_id === newSpace
  return (
    <>
      <FormFrame
        form={form}
        refusal={may('units:write') ? undefined : text('mayNotWrite')}
        buttons={
          <div className={styles.buttons}>
            <Button
              type="submit"
              loading={form.isSaving}
              disabled={!may('units:write')}
              title={may('units:write') ? undefined : text('mayNotWrite')}
            >
              {text('create')}
            </Button>
            <ButtonLink to="/units" variant="default">
              {common('cancel')}
            </ButtonLink>
          </div>
        }
      >
        <UnitFields
          form={form}
          currency={currencyOf(form.draft)}
          spaces={[
            ...open.map(({ id, name }) => ({ value: id, label: name })),
            ...(may('spaces:write') ? [{ value: newSpace, label: text('newSpace') }] : []),
          ]}
          spaceFields={
            isNewSpace && (
              <>
                <TextField form={form} name="space_name" label={text('spaceName')} isWide />
                <PlaceFields form={form} nameOf={(name) => `space_${name}` as const} />
              </>
            )
          }
        />
      </FormFrame>
      {dialog}
    </>
  )
}
