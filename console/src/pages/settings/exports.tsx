import { useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createExport, createExportDownload, listExports } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RecordFallback } from '../../components/record-fallback.tsx'
import { Section } from '../../components/section.tsx'
import { Badge } from '../../components/state-badge.tsx'
import { useFailure } from '../../components/use-failure.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { exportMessages } from './export-messages.ts'
import styles from './exports.module.css'

type Export = contract.Export

const workingEveryMs = 1_000
const isOpen = ({ status }: Export) => status === 'pending' || status === 'running'
const states = { pending: 'waiting', running: 'syncing', completed: 'in-sync', failed: 'failed' } as const

/** The exports of the organization: begins one, shows how far it is, and downloads its file. */
export const Exports = () => {
  const text = useMessages(exportMessages)
  const api = useApi()
  const queries = useQueryClient()
  const { may } = useCaller()
  const [failure, setFailure] = useFailure()
  const [isBeginning, setBeginning] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: [listExports.path],
    queryFn: async ({ signal }) =>
      (await api.send(listExports, { query: { sort: '-created_at' }, signal })).exports,
    refetchInterval: ({ state }) => (state.data?.some(isOpen) ? workingEveryMs : false),
  })
  const begin = async () => {
    setFailure(null)
    setBeginning(true)
    try {
      await api.send(createExport)
    } catch (cause) {
      setFailure(cause)
    }
    await queries.invalidateQueries({ queryKey: [listExports.path] })
    setBeginning(false)
  }
  return (
    <>
      <Section title={text('title')}>
        <p className={styles.text}>{text('text')}</p>
        <p className={styles.text}>{text('kept')}</p>
        <ProblemNote failure={failure} />
        <ActionButton
          variant="filled"
          size="sm"
          loading={isBeginning || (data?.some(isOpen) ?? false)}
          refusal={may('exports:write') ? null : text('mayNot')}
          onClick={() => void begin()}
        >
          {text('begin')}
        </ActionButton>
      </Section>
      <Section title={text('files')}>
        {!data && <RecordFallback error={error} title={text('loadFailed')} onRetry={() => void refetch()} />}
        {data?.length === 0 && <p className={styles.text}>{text('none')}</p>}
        {data && data.length > 0 && (
          <ul className={styles.exports} aria-label={text('files')}>
            {data.map((one) => (
              <ExportRow key={one.id} current={one} onFailure={setFailure} />
            ))}
          </ul>
        )}
      </Section>
    </>
  )
}

const ExportRow = ({ current, onFailure }: { current: Export; onFailure: (cause: unknown) => void }) => {
  const text = useMessages(exportMessages)
  const format = useFormat()
  const api = useApi()
  const { id, status, size_bytes, missing_files, error_code, created_at, expires_at } = current
  const when = format.dayTime(created_at)
  const download = async () => {
    onFailure(null)
    try {
      const { download: address } = await api.send(createExportDownload, { path: { id } })
      // The browser writes the file while it arrives. An address that fails does not take the place of this page.
      Object.assign(document.createElement('a'), { href: address.url, download: '' }).click()
    } catch (cause) {
      onFailure(cause)
    }
  }
  const notes = [
    size_bytes !== null && format.bytes(size_bytes),
    status === 'completed' && missing_files > 0 && text('missing', { count: missing_files }),
    error_code && text(error_code),
    expires_at && text('deleted', { when: format.dayTime(expires_at) }),
  ].filter(Boolean)
  return (
    <li className={styles.export}>
      <span className={styles.when}>{when}</span>
      <Badge state={states[status]}>{text(status)}</Badge>
      {isOpen(current) ? <Progress current={current} /> : <p className={styles.note}>{notes.join(' · ')}</p>}
      {status === 'completed' && (
        <ActionButton label={text('downloadOf', { when })} onClick={download}>
          {text('download')}
        </ActionButton>
      )}
    </li>
  )
}

const Progress = ({ current: { stage, done, total } }: { current: Export }) => {
  const text = useMessages(exportMessages)
  const format = useFormat()
  const figure = stage === 'file' ? format.bytes : format.number
  return (
    <div className={styles.progress}>
      {/* Without a value the bar shows that it is not known how much there is. */}
      <progress aria-label={text('progress')} max={total || 1} {...(total > 0 && { value: done })} />
      <p role="status" className={styles.note}>
        {total > 0 && `${text(stage, { done: figure(done), total: figure(total) })} · `}
        {text('closeText')}
      </p>
    </div>
  )
}
