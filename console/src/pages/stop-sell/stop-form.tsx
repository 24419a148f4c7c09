import { useState } from 'react'
import { Button, TextInput } from '@mantine/core'
import { createSalesStop } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Hand, Warning } from '../../components/icons.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller, useSendOnce } from '../../session/api.tsx'
import { scopes, subjectsOf } from './filter.ts'
import type { StopFilter, StopScope, StopSubject } from './filter.ts'
import { stopMessages } from './messages.ts'
import { SubjectPicker } from './subject-picker.tsx'
import { usePreview, useRefreshStops, useStopName } from './use-stops.ts'
import type { Reach } from './use-stops.ts'
import styles from './stop-form.module.css'
import marks from './stop-sell.module.css'

interface StopFormProps {
  filter: StopFilter
  onFilter: (filter: StopFilter) => void
}

const maxReasonLength = 255

/** Chooses what to stop, shows what that covers, and stops it after a typed word. */
export const StopForm = ({ filter, onFilter }: StopFormProps) => {
  const text = useMessages(stopMessages)
  const { may } = useCaller()
  const [reason, setReason] = useState('')
  const [isAsking, setAsking] = useState(false)
  const { what, ids: list = '' } = filter
  const ids = list.split(',').filter(Boolean)
  const subjects = subjectsOf(what, ids)
  const { preview, error, refetch } = usePreview(subjects)
  const mayStop = may('sync:write')
  const choose = (next: readonly string[]) =>
    onFilter({ ...(what && { what }), ...(next.length > 0 && { ids: next.join(',') }) })

  return (
    <Section title={text('stopSales')}>
      <div className={styles.form}>
        <ScopeChoice scope={what} onChange={(next) => onFilter({ what: next })} />
        {what && what !== 'everything' && (
          <SubjectPicker key={what} scope={what} chosen={ids} onChange={choose} />
        )}
        <TextInput
          label={text('reason')}
          description={text('reasonHint')}
          maxLength={maxReasonLength}
          autoComplete="off"
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <ProblemNote failure={error} onRetry={refetch} />
        <div className={styles.act}>
          <div className={styles.preview} role="status">
            {subjects.length > 0 ? preview && <Preview reach={preview} /> : <p>{text('previewNone')}</p>}
          </div>
          <Button
            className={styles.stopButton}
            size="md"
            leftSection={<Hand />}
            disabled={mayStop && (subjects.length === 0 || !preview)}
            {...(!mayStop && { 'data-disabled': true, 'aria-disabled': true, title: text('noPermission') })}
            onClick={() => mayStop && setAsking(true)}
          >
            {text('stop')}
          </Button>
        </div>
      </div>
      {isAsking && preview && (
        <StopDialog
          subjects={subjects}
          reason={reason.trim()}
          preview={preview}
          onDone={() => {
            setReason('')
            onFilter({})
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </Section>
  )
}

interface ScopeChoiceProps {
  scope: StopScope | undefined
  onChange: (scope: StopScope) => void
}

const ScopeChoice = ({ scope, onChange }: ScopeChoiceProps) => {
  const text = useMessages(stopMessages)
  return (
    <fieldset className={styles.scopes}>
      <legend>{text('what')}</legend>
      {scopes.map((one) => (
        <label key={one} className={styles.scope}>
          <input
            type="radio"
            name="what"
            value={one}
            checked={scope === one}
            onChange={() => onChange(one)}
          />
          <strong>{text(one)}</strong>
          <span>{text(`${one}Text`)}</span>
        </label>
      ))}
    </fieldset>
  )
}

const Preview = ({ reach }: { reach: Reach }) => {
  const text = useMessages(stopMessages)
  const { units, listings, stopped_otherwise, paused } = reach
  return (
    <>
      <p className={styles.covered}>{text('previewUnits', { count: units })}</p>
      <p>{text('previewListings', { count: listings })}</p>
      {stopped_otherwise > 0 && <p>{text('previewStopped', { count: stopped_otherwise })}</p>}
      {paused > 0 && (
        <p className={marks.warning}>
          <Warning />
          {text('paused', { count: paused })}
        </p>
      )}
    </>
  )
}

interface StopDialogProps {
  subjects: readonly StopSubject[]
  reason: string
  preview: Reach
  onDone: () => void
  onClose: () => void
}

/** Asks for the word, then stops one subject after the other. */
const StopDialog = ({ subjects, reason, preview, onDone, onClose }: StopDialogProps) => {
  const text = useMessages(stopMessages)
  const sendOnce = useSendOnce()
  const toast = useToast()
  const nameOf = useStopName(subjects)
  const refresh = useRefreshStops()
  const [stopped, setStopped] = useState<readonly StopSubject[]>([])
  const [first = {}] = subjects
  const count = subjects.length
  const isEverything = Object.keys(first).length === 0

  const stop = async () => {
    const done = [...stopped]
    try {
      // A second attempt goes on where the first failed.
      for (const subject of subjects.slice(done.length)) {
        await sendOnce(createSalesStop, { body: { ...subject, ...(reason && { reason }) } })
        done.push(subject)
      }
    } finally {
      setStopped(done)
      await refresh()
    }
    toast({
      message: count === 1 ? text('stopped', { name: nameOf(first) }) : text('stoppedMany', { count }),
    })
    onDone()
  }

  return (
    <ConfirmDialog
      isDangerous
      title={isEverything ? text('confirmAll') : text('confirmTitle', { count, name: nameOf(first) })}
      action={text('confirmAction')}
      typed={text('word')}
      onConfirm={stop}
      onClose={onClose}
    >
      {count > 1 && <p>{subjects.map((subject) => nameOf(subject)).join(' · ')}</p>}
      <Preview reach={preview} />
      <p>{text('previewKept')}</p>
      {stopped.length > 0 && <p>{text('partly', { done: stopped.length, count })}</p>}
    </ConfirmDialog>
  )
}
