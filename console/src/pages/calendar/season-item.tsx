import { useEffect, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { Button, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { applySeason, deleteSeason, getSeason, listSeasons, replaceSeason } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { isFirstClick } from '../../components/first-click.ts'
import { ProblemNote } from '../../components/problem-note.tsx'
import { UnsavedChanges } from '../../components/unsaved-changes.tsx'
import { useEscape } from '../../components/use-escape.ts'
import { useFailure } from '../../components/use-failure.ts'
import { useIsShown } from '../../components/use-is-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useSendOnce } from '../../session/api.tsx'
import type { ChangeDraft, SelectedNights } from './change-draft.ts'
import { ChangePreview } from './change-preview.tsx'
import type { CalendarUnit } from './rows.ts'
import { seasonMessages } from './season-messages.ts'
import { useSeasonWords } from './season-words.ts'
import styles from './calendar-dialog.module.css'

export interface SeasonsDialogProps {
  /** What the editor decides, when it is to be saved. */
  draft: ChangeDraft | null
  selected: SelectedNights | null
  shown: readonly CalendarUnit[]
  currency: string
  mayEdit: boolean
  onApplied: (change: contract.CalendarChange, unitIds: readonly string[]) => void
  onClose: () => void
}

type Mode = 'shown' | 'apply' | 'rename' | 'remove'

/** A season with what can be done with it. */
export const SeasonItem = (props: SeasonsDialogProps & { season: contract.Season }) => {
  const { season, currency, mayEdit, onClose } = props
  const text = useMessages(seasonMessages)
  const words = useSeasonWords(currency)
  const api = useApi()
  const queries = useQueryClient()
  const [mode, setMode] = useState<Mode>('shown')
  const [failure, setFailure] = useFailure()
  const [isRunning, setRunning] = useState(false)

  const run = async (work: () => Promise<unknown>) => {
    setFailure(null)
    setRunning(true)
    try {
      await work()
      setMode('shown')
      await queries.invalidateQueries({ queryKey: [listSeasons.path] })
    } catch (cause) {
      setFailure(cause)
    }
    setRunning(false)
  }
  const rename = (name: string) =>
    run(async () => {
      const path = { id: season.id }
      // What a colleague has changed of its nights since it was shown stays.
      const { data, etag } = await api.request(getSeason, { path })
      const body = { name, values: data.season.values }
      await api.send(replaceSeason, { path, body, ifMatch: etag })
    })
  const remove = () => run(() => api.send(deleteSeason, { path: { id: season.id } }))
  const choose = (next: Mode) => () => setMode(mode === next ? 'shown' : next)
  const reason = mayEdit ? undefined : text('readOnly')

  return (
    <li>
      <div className={styles.line}>
        {mode === 'rename' ? (
          <SeasonName
            current={season.name}
            isRunning={isRunning}
            onRename={rename}
            onCancel={() => setMode('shown')}
          />
        ) : (
          <>
            <h3>{season.name}</h3>
            <Button
              size="compact-sm"
              variant="default"
              aria-expanded={mode === 'apply'}
              disabled={!mayEdit}
              title={reason}
              onClick={choose('apply')}
            >
              {text('apply')}
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              disabled={!mayEdit}
              title={reason}
              onClick={choose('rename')}
            >
              {text('rename')}
            </Button>
            {mode === 'remove' ? (
              <Button
                size="compact-sm"
                color="red"
                variant="light"
                loading={isRunning}
                onClick={(click) => isFirstClick(click) && void remove()}
              >
                {text('removeSure')}
              </Button>
            ) : (
              <Button
                size="compact-sm"
                variant="subtle"
                disabled={!mayEdit}
                title={reason}
                onClick={choose('remove')}
              >
                {text('remove')}
              </Button>
            )}
          </>
        )}
      </div>
      <ul className={styles.values}>
        {season.values.map((value, index) => (
          <li key={index}>{words(value)}</li>
        ))}
      </ul>
      <ProblemNote failure={failure} />
      {mode === 'apply' && <ApplySeason {...props} onClose={onClose} />}
    </li>
  )
}

interface SeasonNameProps {
  current: string
  isRunning: boolean
  onRename: (name: string) => Promise<void>
  onCancel: () => void
}

/** The field of another name, in place of the present one; Escape leaves it. */
const SeasonName = ({ current, isRunning, onRename, onCancel }: SeasonNameProps) => {
  const text = useMessages(seasonMessages)
  const [name, setName] = useState(current)
  const field = useRef<HTMLInputElement>(null)
  useEscape(onCancel)
  useEffect(() => field.current?.select(), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void onRename(name.trim())
  }
  return (
    <form className={styles.line} onSubmit={submit}>
      <UnsavedChanges isDirty={name.trim() !== current} />
      <TextInput
        ref={field}
        aria-label={text('name')}
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" size="compact-sm" disabled={name.trim() === ''} loading={isRunning}>
        {text('rename')}
      </Button>
    </form>
  )
}

const maxUnits = 2000

const ApplySeason = ({
  season,
  selected,
  shown,
  onApplied,
  onClose,
}: SeasonsDialogProps & { season: contract.Season }) => {
  const text = useMessages(seasonMessages)
  const api = useApi()
  const sendOnce = useSendOnce()
  const choices = [
    ...(selected ? [{ key: 'selectedUnits' as const, units: selected.units }] : []),
    { key: 'shownUnits' as const, units: shown },
  ]
  const [choice, setChoice] = useState(choices[0]?.key ?? 'shownUnits')
  const [failure, setFailure] = useFailure()
  const isShown = useIsShown()
  const [isApplying, setApplying] = useState(false)
  const units = (choices.find(({ key }) => key === choice)?.units ?? shown).slice(0, maxUnits)
  const ids = units.map(({ id }) => id)
  const {
    data: preview,
    error,
    refetch,
  } = useQuery({
    queryKey: ['calendar', 'season', season.id, ids],
    queryFn: async ({ signal }) => {
      const body = { unit_ids: ids, dry_run: true }
      const reply = await api.send(applySeason, { path: { id: season.id }, body, signal })
      return 'calendar_preview' in reply ? reply.calendar_preview : null
    },
    retry: false,
  })
  const apply = async () => {
    setApplying(true)
    try {
      const reply = await sendOnce(applySeason, { path: { id: season.id }, body: { unit_ids: ids } })
      if ('calendar_change' in reply) onApplied(reply.calendar_change, ids)
      if (isShown.current) onClose()
    } catch (cause) {
      setFailure(cause)
      setApplying(false)
    }
  }
  return (
    <>
      <fieldset className={styles.options}>
        <legend>{text('applyTo')}</legend>
        {choices.map(({ key, units: of }) => (
          <label key={key}>
            <input type="radio" name={season.id} checked={key === choice} onChange={() => setChoice(key)} />
            {text(key, { units: of.length })}
          </label>
        ))}
      </fieldset>
      {error ? (
        <ProblemNote failure={error} onRetry={() => void refetch()} />
      ) : (
        <ChangePreview preview={preview ?? undefined} units={units} fault={null} />
      )}
      <ProblemNote failure={failure} />
      <Button
        disabled={!preview || preview.nights_below_minimum > 0}
        loading={isApplying}
        onClick={() => void apply()}
      >
        {text('apply')}
      </Button>
    </>
  )
}
