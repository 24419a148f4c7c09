import { useQueryClient } from '@tanstack/react-query'
import { deleteSpace, getSpace, updateSpace } from '@vacancy/client'
import type { Space } from '@vacancy/client'

import { useNavigateIfShown } from '../../components/use-navigate-if-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { RetireActions } from '../units/retire-actions.tsx'
import { useRefreshInventory } from '../units/use-unit.ts'
import { spaceMessages } from './messages.ts'

interface SpaceActionsProps {
  space: Space
  etag: string | null
  /** Its units, to name what holds it. */
  unitIds: string[]
}

/** Takes a space with all of its units off sale: archives or deletes it. */
export const SpaceActions = ({ space, etag, unitIds }: SpaceActionsProps) => {
  const text = useMessages(spaceMessages)
  const api = useApi()
  const navigate = useNavigateIfShown()
  const queries = useQueryClient()
  const refresh = useRefreshInventory()
  const { may } = useCaller()
  const { id } = space
  return (
    <RetireActions
      record={space}
      text={text}
      refusal={may('spaces:write') ? null : text('mayNotWrite')}
      unitIds={unitIds}
      onStatus={async (status) => {
        await api.send(updateSpace, { path: { id }, body: { status }, ifMatch: etag })
        await refresh(getSpace.path)
      }}
      onDelete={async () => {
        await api.send(deleteSpace, { path: { id }, ifMatch: etag })
        await navigate({ to: '/units', ignoreBlocker: true })
        queries.removeQueries({ queryKey: [getSpace.path, 'with-tag', id] })
        void refresh('')
      }}
      reread={() => refresh(getSpace.path)}
    />
  )
}
