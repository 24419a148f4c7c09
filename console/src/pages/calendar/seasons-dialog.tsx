import { useState } from 'react'
import type { FormEvent } from 'react'
import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { createSeason, listSeasons } from '@vacancy/client'

import { componentMessages } from '../../components/component-messages.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFailure } from '../../components/use-failure.ts'
import { useRecords } from '../../components/use-records.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useIsShown } from '../../components/use-is-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useSendOnce } from '../../session/api.tsx'
import { CalendarDialog } from './calendar-dialog.tsx'
import { termsOf } from './change-draft.ts'
import type { ChangeDraft, SelectedNights } from './change-draft.ts'
import { dateOf } from './nights.ts'
import { SeasonItem } from './season-item.tsx'
import type { SeasonsDialogProps } from './season-item.tsx'
import { seasonMessages } from './season-messages.ts'
import { useSeasonWords } from './season-words.ts'
import styles from './calendar-dialog.module.css'

/** The seasons of the organization: saved from nights, applied to units, renamed and deleted. */
export const SeasonsDialog = (props: SeasonsDialogProps) => {
  const { draft, selected, onClose } = props
  const text = useMessages(seasonMessages)
  const common = useMessages(componentMessages)
  const describe = useFailureText()
  const list = useRecords(listSeasons, { query: { sort: 'name' } })
  const { records, error, refetch } = list
  const [name, setName] = useState('')
  return (
    <CalendarDialog
      title={text(draft && selected ? 'save' : 'seasons')}
      isDirty={name.trim() !== ''}
      onClose={onClose}
    >
      <p className={styles.text}>{text('intro')}</p>
      {draft && selected && <SaveSeason {...props} {...{ draft, selected, name }} onName={setName} />}
      {error ? (
        <EmptyState
          tone="bad"
          title={text('loadFailed')}
          action={<Button onClick={refetch}>{common('tryAgain')}</Button>}
        >
          {describe(error)}
        </EmptyState>
      ) : records?.length === 0 ? (
        !draft && <p className={styles.text}>{text('none')}</p>
      ) : (
        <ul className={styles.list}>
          {records?.map((season) => (
            <SeasonItem key={season.id} {...props} season={season} />
          ))}
        </ul>
      )}
      <ShowMore list={list} />
    </CalendarDialog>
  )
}

interface SaveSeasonProps extends SeasonsDialogProps {
  draft: ChangeDraft
  selected: SelectedNights
  name: string
  onName: (name: string) => void
}

const SaveSeason = ({ draft, selected, currency, name, onName, onClose }: SaveSeasonProps) => {
  const text = useMessages(seasonMessages)
  const words = useSeasonWords(currency)
  const sendOnce = useSendOnce()
  const queries = useQueryClient()
  const showToast = useToast()
  const [failure, setFailure] = useFailure()
  const isShown = useIsShown()
  const [isSaving, setSaving] = useState(false)
  const value = { date_from: dateOf(selected.from), date_to: dateOf(selected.to), ...termsOf(draft) }

  const save = async (event: FormEvent) => {
    event.preventDefault()
    setSaving(true)
    try {
      await sendOnce(createSeason, { body: { name: name.trim(), values: [value] } })
      void queries.invalidateQueries({ queryKey: [listSeasons.path] })
      showToast({ message: text('saved', { name: name.trim() }) })
      if (isShown.current) onClose()
    } catch (cause) {
      setFailure(cause)
      setSaving(false)
    }
  }
  return (
    <form onSubmit={(event) => void save(event)}>
      <p className={styles.text}>{words(value)}</p>
      <div className={styles.line}>
        <TextInput
          data-autofocus
          aria-label={text('name')}
          placeholder={text('name')}
          maxLength={255}
          value={name}
          onChange={(event) => onName(event.currentTarget.value)}
        />
        <Button type="submit" disabled={name.trim() === ''} loading={isSaving}>
          {text('save')}
        </Button>
      </div>
      <ProblemNote failure={failure} />
    </form>
  )
}
