import { useState } from 'react'
import { getRouteApi } from '@tanstack/react-router'
import { useQueryClient } from '@tanstack/react-query'
import { cancelFileImport, getFileImport, runFileImport } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RecordFallback } from '../../components/record-fallback.tsx'
import { useFailure } from '../../components/use-failure.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { CancelButton } from '../import/cancel-button.tsx'
import { ImportState } from '../import/import-state.tsx'
import { ImportSteps } from '../import/import-steps.tsx'
import { importMessages } from '../import/messages.ts'
import { isOpen } from '../import/use-import.ts'
import styles from '../import/import.module.css'
import { ColumnMapping } from './column-mapping.tsx'
import { missingFieldsOf } from './fields.ts'
import type { FileImport } from './fields.ts'
import { FileReport, MadeCount } from './file-report.tsx'
import { fileMessages } from './messages.ts'
import { RowCounts } from './row-counts.tsx'
import { RowErrors } from './row-errors.tsx'
import { countRows, useFileImport } from './use-file-import.ts'

const route = getRouteApi('/import/file/$importId')
const stepOf = { planning: 'plan', planned: 'plan', failed: 'plan', running: 'run' } as const

/** One import of a file, wherever it is: its columns, what its rows make, how far it is, and what it has made. */
export const FileImportPage = () => {
  const text = useMessages(fileMessages)
  const common = useMessages(importMessages)
  const api = useApi()
  const queries = useQueryClient()
  const { importId: id } = route.useParams()
  const { current, error, refetch } = useFileImport(id)
  const cancel = async () => {
    const { file_import: cancelled } = await api.send(cancelFileImport, { path: { id } })
    queries.setQueryData([getFileImport.path, id], cancelled)
  }
  return (
    <Page
      title={
        current ? text('titleOf', { name: current.file_name ?? text(current.kind) }) : common('fromFile')
      }
      summary={current && <ImportState status={current.status} />}
      back={{ link: { to: '/import', search: { from: 'file' } }, place: common('title') }}
      actions={current && isOpen(current) && <CancelButton permission="imports:write" onCancel={cancel} />}
    >
      {current ? (
        <>
          <ImportSteps
            current={current.status in stepOf ? stepOf[current.status as keyof typeof stepOf] : 'report'}
          />
          <Stage current={current} />
        </>
      ) : (
        <RecordFallback error={error} title={text('loadFailed')} onRetry={() => void refetch()} />
      )}
    </Page>
  )
}

const Stage = ({ current }: { current: FileImport }) => {
  const text = useMessages(fileMessages)
  const isPlan = ['planning', 'planned', 'failed'].includes(current.status)
  const isWorking = current.status === 'planning' || current.status === 'running'
  const hasResult = !isWorking && current.status !== 'cancelled' && current.counts.length > 0
  return (
    <>
      {isPlan && <ColumnMapping current={current} />}
      {current.status === 'failed' && missingFieldsOf(current).length === 0 && (
        <p className={styles.failed} role="alert">
          {current.error_message}
        </p>
      )}
      {isWorking && <Progress current={current} />}
      {current.status === 'cancelled' && (
        <div className={styles.ended}>
          <p>
            {text('cancelled')} <MadeCount current={current} />
          </p>
          <ButtonLink to="/import" search={{ from: 'file' }} variant="default">
            {text('another')}
          </ButtonLink>
        </div>
      )}
      {current.status === 'completed' && <FileReport current={current} />}
      {hasResult && <RowCounts current={current} />}
      {hasResult && countRows(current, 'error').total > 0 && <RowErrors current={current} />}
      {current.status === 'planned' && <RunBar current={current} />}
    </>
  )
}

const Progress = ({ current }: { current: FileImport }) => {
  const text = useMessages(fileMessages)
  const format = useFormat()
  const isPlanning = current.status === 'planning'
  const { total, done } = isPlanning
    ? { total: current.row_count, done: current.planned_count }
    : countRows(current, 'create', 'update', 'match')
  return (
    <section className={styles.progress} aria-label={text('progress')}>
      <p role="status" className={styles.stage}>
        {text(isPlanning ? 'planningText' : 'runningText')}
      </p>
      <progress aria-label={text('progress')} max={total} value={done} />
      <p className={styles.figures}>
        {text('done', { done: format.number(done), total: format.number(total) })}
      </p>
      <p className={styles.quiet}>{text('closeText')}</p>
    </section>
  )
}

const RunBar = ({ current }: { current: FileImport }) => {
  const text = useMessages(fileMessages)
  const api = useApi()
  const queries = useQueryClient()
  const { may } = useCaller()
  const [failure, setFailure] = useFailure()
  const [isWaiting, setWaiting] = useState(false)
  const path = { id: current.id }
  const count = countRows(current, 'create', 'update', 'match').total
  const run = async () => {
    setWaiting(true)
    setFailure(null)
    try {
      const { file_import: running } = await api.send(runFileImport, { path })
      queries.setQueryData([getFileImport.path, current.id], running)
    } catch (cause) {
      setFailure(cause)
      setWaiting(false)
      // Somebody else may have run it.
      await queries.invalidateQueries({ queryKey: [getFileImport.path, current.id] })
    }
  }
  return (
    <div className={styles.bar}>
      <span className={styles.quiet}>
        {count === 0 ? text('nothing') : text('leftOut', { count: countRows(current, 'error').total })}
      </span>
      <ProblemNote failure={failure} />
      {count > 0 && (
        <ActionButton
          variant="filled"
          size="sm"
          loading={isWaiting}
          refusal={may('imports:write') ? null : text('mayNot')}
          onClick={() => void run()}
        >
          {text('run', { count })}
        </ActionButton>
      )}
    </div>
  )
}
