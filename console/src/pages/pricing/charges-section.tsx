import { useQueryClient } from '@tanstack/react-query'
import { deleteCharge, listCharges } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { EditableList } from '../../components/editable-list.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { ChargeDialog } from './charge-dialog.tsx'
import type { Charge, ChargePlace } from './charge-draft.ts'
import { pricingMessages } from './messages.ts'

/** What a stay costs besides its nights; a unit shows the charges of its space too. */
export const ChargesSection = ({ place }: { place: ChargePlace }) => {
  const text = useMessages(pricingMessages)
  const api = useApi()
  const queries = useQueryClient()
  const { may } = useCaller()
  const describe = useChargeText()
  const { spaceId, unitId } = place
  const ofSpace = useRecords(listCharges, { query: { space_id: [spaceId], limit: 100 } })
  const ofUnit = useRecords(listCharges, {
    query: unitId ? { unit_id: [unitId], limit: 100 } : { space_id: [spaceId], limit: 100 },
  })
  const charges =
    unitId && ofUnit.records && ofSpace.records ? [...ofUnit.records, ...ofSpace.records] : ofSpace.records
  const refresh = () => queries.invalidateQueries({ queryKey: [listCharges.path] })
  return (
    <EditableList
      title={text('charges')}
      add={text('addCharge')}
      none={text('noCharges')}
      records={charges?.filter((one) => one.unit_id === unitId || one.space_id === spaceId)}
      error={ofSpace.error ?? ofUnit.error}
      onRetry={() => {
        ofSpace.refetch()
        ofUnit.refetch()
      }}
      refusal={may('units:write') ? undefined : text('mayNot')}
      isOwn={(charge) => charge.unit_id === unitId}
      deleteText={text('deleteChargeText')}
      actions={
        unitId && (
          <ButtonLink to="/bookings/new" search={{ unit: unitId }} size="compact-sm" variant="default">
            {text('sample')}
          </ButtonLink>
        )
      }
      onDelete={async ({ id }) => {
        await api.send(deleteCharge, { path: { id } })
        await refresh()
      }}
      dialog={(charge, onClose) => (
        <ChargeDialog place={place} charge={charge} onSaved={refresh} onClose={onClose} />
      )}
    >
      {(charge) => (
        <>
          <strong>{charge.name}</strong>
          <p>{describe(charge)}</p>
          {charge.unit_id !== unitId && <p>{text('ofSpace')}</p>}
        </>
      )}
    </EditableList>
  )
}

/** A charge in words: `Tax · 6 % of the nights · already in the prices`. */
const useChargeText = () => {
  const text = useMessages(pricingMessages)
  const format = useFormat()
  return (charge: Charge) => {
    const { kind, basis, amount_cents, percent, applies_to, currency } = charge
    const amount =
      basis === 'percent'
        ? text(kind === 'deposit' ? 'of_total' : `of_${applies_to ?? 'base'}`, {
            percent: format.number(percent ?? 0),
          })
        : text(`of_${basis}`, { amount: format.money(amount_cents ?? 0, currency) })
    return [
      text(kind),
      amount,
      charge.included && text('included'),
      charge.min_nights && text('from', { count: charge.min_nights }),
      charge.max_nights && text('to', { count: charge.max_nights }),
      charge.charged_nights && text('atMost', { count: charge.charged_nights }),
      charge.guests_included > 0 && text('free', { count: charge.guests_included }),
      charge.status !== 'active' && text('inactive'),
    ]
      .filter(Boolean)
      .join(' · ')
  }
}
