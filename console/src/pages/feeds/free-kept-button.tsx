import { useMutation } from '@tanstack/react-query'
import { decideCalendarFeed } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { feedMessages } from './messages.ts'

interface FreeKeptButtonProps {
  feed: contract.CalendarFeed
  since: string
  refresh: () => Promise<unknown>
}

/** Frees nights that a user has decided to keep blocked, although they are missing from the calendar. */
export const FreeKeptButton = ({ feed: { id, name }, since, refresh }: FreeKeptButtonProps) => {
  const text = useMessages(feedMessages)
  const api = useApi()
  const toast = useToast()
  const describe = useFailureText()
  const { may } = useCaller()
  const { mutate, isPending } = useMutation({
    mutationFn: () => api.send(decideCalendarFeed, { path: { id }, body: { decision: 'accept', since } }),
    onSuccess: () => toast({ message: text('wereFreed', { name }) }),
    onError: (cause) => toast({ message: describe(cause) }),
    onSettled: refresh,
  })
  return (
    <ActionButton
      refusal={may('units:write') ? null : text('mayNot')}
      loading={isPending}
      label={text('freeKeptOf', { name })}
      onClick={() => mutate()}
    >
      {text('freeKept')}
    </ActionButton>
  )
}
