import { useState } from 'react'
import { pauseChannelTarget, resumeChannelTarget } from '@vacancy/client'
import type { ChannelTarget } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { channelMessages } from './messages.ts'
import { useRefreshChannels } from './use-channels.ts'

/** Stops what is sent to a channel, after asking, or lets it go on. */
export const PauseButton = ({ target, size }: { target: ChannelTarget; size: 'compact-sm' | 'sm' }) => {
  const text = useMessages(channelMessages)
  const describe = useFailureText()
  const api = useApi()
  const toast = useToast()
  const { may } = useCaller()
  const refresh = useRefreshChannels()
  const [isAsking, setAsking] = useState(false)
  const path = { id: target.id }
  const isPaused = target.status === 'inactive'
  const reason = may('channel_targets:write') ? null : text('mayNotWrite')

  const resume = async () => {
    await api.send(resumeChannelTarget, { path })
    await refresh()
  }
  const pause = async () => {
    await api.send(pauseChannelTarget, { path })
    toast({
      message: text('pausedNow', { name: target.name }),
      undo: async () => {
        await resume()
        return text('undone')
      },
    })
    await refresh()
  }
  const resumeNow = () =>
    resume()
      .then(() => toast({ message: text('resumedNow', { name: target.name }) }))
      .catch((failure: unknown) => toast({ message: describe(failure) }))

  return (
    <>
      <ActionButton
        size={size}
        refusal={reason}
        label={`${text(isPaused ? 'resume' : 'pause')}: ${target.name}`}
        onClick={() => (isPaused ? resumeNow() : setAsking(true))}
      >
        {text(isPaused ? 'resume' : 'pause')}
      </ActionButton>
      {isAsking && (
        <ConfirmDialog
          title={text('pauseTitle', { name: target.name })}
          action={text('pause')}
          onConfirm={pause}
          onClose={() => setAsking(false)}
        >
          {text('pauseText')}
        </ConfirmDialog>
      )}
    </>
  )
}
