import { useQueryClient } from '@tanstack/react-query'
import { deleteUnit, getUnit, updateUnit } from '@vacancy/client'
import type { Unit } from '@vacancy/client'

import { useNavigateIfShown } from '../../components/use-navigate-if-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { unitMessages } from './messages.ts'
import { RetireActions } from './retire-actions.tsx'
import { useRefreshInventory } from './use-unit.ts'

/** Takes a unit off sale for good: archives or deletes it. */
export const UnitActions = ({ unit, etag }: { unit: Unit; etag: string | null }) => {
  const text = useMessages(unitMessages)
  const api = useApi()
  const navigate = useNavigateIfShown()
  const queries = useQueryClient()
  const refresh = useRefreshInventory()
  const { may } = useCaller()
  const { id, space_id: spaceId } = unit
  return (
    <RetireActions
      record={unit}
      text={text}
      refusal={may('units:write') ? null : text('mayNotWrite')}
      unitIds={[id]}
      onStatus={async (status) => {
        await api.send(updateUnit, { path: { id }, body: { status }, ifMatch: etag })
        await refresh(getUnit.path)
      }}
      onDelete={async () => {
        await api.send(deleteUnit, { path: { id }, ifMatch: etag })
        await navigate({ to: '/spaces/$spaceId', params: { spaceId }, ignoreBlocker: true })
        queries.removeQueries({ queryKey: [getUnit.path, id] })
        void refresh('')
      }}
      reread={() => refresh(getUnit.path)}
    />
  )
}
