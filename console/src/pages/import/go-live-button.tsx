import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { getImport, liveImport } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { importMessages } from './messages.ts'
import { useImport } from './use-import.ts'
import type { Import } from './use-import.ts'
import styles from './import.module.css'

/** Resumes all paused listings of an import after saying what that sends. */
export const GoLiveButton = ({ current, name }: { current: Import; name: string }) => {
  const text = useMessages(importMessages)
  const api = useApi()
  const queries = useQueryClient()
  const { may } = useCaller()
  const [isAsked, setAsked] = useState(false)
  const [isGoing, setGoing] = useState(false)
  const { id, listings_paused: count } = current
  useImport(id, isGoing)
  const goLive = async () => {
    const { import: going } = await api.send(liveImport, { path: { id } })
    queries.setQueryData([getImport.path, id], going)
    setGoing(true)
  }
  return (
    <>
      {isGoing && (
        <span role="status" className={styles.quiet}>
          {text('goingLive', { count })}
        </span>
      )}
      <ActionButton
        size="sm"
        loading={isGoing}
        refusal={may('channel_targets:write') ? null : text('mayNot')}
        onClick={() => setAsked(true)}
      >
        {text('goLive')}
      </ActionButton>
      {isAsked && (
        <ConfirmDialog
          title={text('goLiveTitle')}
          action={text('goLive')}
          onConfirm={goLive}
          onClose={() => setAsked(false)}
        >
          {text('goLiveText', { count, name })}
        </ConfirmDialog>
      )}
    </>
  )
}
