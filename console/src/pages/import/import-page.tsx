import { useState } from 'react'
import { getRouteApi } from '@tanstack/react-router'
import { useQueryClient } from '@tanstack/react-query'
import { cancelImport, getImport, runImport } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RecordFallback } from '../../components/record-fallback.tsx'
import { useFailure } from '../../components/use-failure.ts'
import { useIsShown } from '../../components/use-is-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { CancelButton } from './cancel-button.tsx'
import { ImportFailure } from './import-failure.tsx'
import { ImportReport } from './import-report.tsx'
import { ImportState } from './import-state.tsx'
import { ImportSteps } from './import-steps.tsx'
import type { ImportStep } from './import-steps.tsx'
import { ImportProgress } from './import-progress.tsx'
import { ItemCounts } from './item-counts.tsx'
import { ItemTable } from './item-table.tsx'
import { importMessages } from './messages.ts'
import { countItems, isOpen, useChannelName, useImport } from './use-import.ts'
import type { Import } from './use-import.ts'
import styles from './import.module.css'

const route = getRouteApi('/import/$importId')

const stepOf = ({ status, started_at: startedAt }: Import): ImportStep =>
  status === 'completed' ? 'report' : status === 'running' || startedAt !== null ? 'run' : 'plan'

/** One import, wherever it is: its plan, how far it is, and what it has made. */
export const ImportPage = () => {
  const text = useMessages(importMessages)
  const api = useApi()
  const queries = useQueryClient()
  const { importId } = route.useParams()
  const { current, error, refetch } = useImport(importId)
  const channelName = useChannelName(current?.channel_target_id)
  const name = channelName ?? text('channel')
  const cancel = async () => {
    const { import: cancelled } = await api.send(cancelImport, { path: { id: importId } })
    queries.setQueryData([getImport.path, importId], cancelled)
  }
  return (
    <Page
      title={channelName ? text('titleFrom', { name: channelName }) : text('title')}
      summary={current && <ImportState status={current.status} />}
      back={{ link: { to: '/import' }, place: text('title') }}
      actions={
        current && isOpen(current) && <CancelButton permission="channel_targets:write" onCancel={cancel} />
      }
    >
      {current ? (
        <>
          <ImportSteps current={stepOf(current)} />
          <Stage current={current} name={name} />
        </>
      ) : (
        <RecordFallback error={error} title={text('loadFailed')} onRetry={() => void refetch()} />
      )}
    </Page>
  )
}

interface StageProps {
  current: Import
  name: string
}

const Stage = ({ current, name }: StageProps) => {
  const text = useMessages(importMessages)
  if (current.status === 'planning') return <ImportProgress current={current} name={name} />
  const { total, done } = countItems(current)
  const hasItems = total > 0
  return (
    <>
      {current.status === 'running' && <ImportProgress current={current} name={name} />}
      {current.status === 'failed' && (
        <div className={styles.failed} role="alert">
          <h2>{text('failedTitle')}</h2>
          <ImportFailure current={current} name={name} />
          <p>{text('failedText')}</p>
          <RunButton id={current.id} label={text('tryAgain')} />
        </div>
      )}
      {current.status === 'cancelled' && (
        <div className={styles.ended}>
          <p>{text('cancelledText')}</p>
          <ButtonLink to="/import" variant="default">
            {text('another')}
          </ButtonLink>
        </div>
      )}
      {current.status === 'completed' && <ImportReport current={current} name={name} />}
      {hasItems && <ItemCounts current={current} />}
      {current.status !== 'running' && (hasItems || current.status === 'planned') && (
        <ItemTable current={current} />
      )}
      {current.status === 'planned' && hasItems && (
        <div className={styles.bar}>
          <span className={styles.quiet}>
            {total === done ? text('nothingToDo') : text('notSent', { name })}
          </span>
          <RunButton
            id={current.id}
            label={text('run', { count: countItems(current, 'unit', 'create').total })}
          />
        </div>
      )}
    </>
  )
}

const RunButton = ({ id, label }: { id: string; label: string }) => {
  const text = useMessages(importMessages)
  const api = useApi()
  const queries = useQueryClient()
  const navigate = route.useNavigate()
  const { may } = useCaller()
  const isShown = useIsShown()
  const [failure, setFailure] = useFailure()
  const [isWaiting, setWaiting] = useState(false)
  const run = async () => {
    setWaiting(true)
    setFailure(null)
    try {
      const { import: running } = await api.send(runImport, { path: { id } })
      queries.setQueryData([getImport.path, id], running)
      // The user may have left the import meanwhile.
      if (isShown.current) await navigate({ search: {}, replace: true })
    } catch (cause) {
      setFailure(cause)
      // Somebody else may have run it.
      await queries.invalidateQueries({ queryKey: [getImport.path, id] })
    } finally {
      setWaiting(false)
    }
  }
  return (
    <>
      <ProblemNote failure={failure} />
      <ActionButton
        variant="filled"
        size="sm"
        loading={isWaiting}
        refusal={may('channel_targets:write') ? null : text('mayNot')}
        onClick={() => void run()}
      >
        {label}
      </ActionButton>
    </>
  )
}
