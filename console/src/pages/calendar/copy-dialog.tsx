import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { changeCalendar, getCalendar } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { SearchField } from '../../components/filters.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { CalendarDialog } from './calendar-dialog.tsx'
import type { SelectedNights } from './change-draft.ts'
import { ChangePreview } from './change-preview.tsx'
import { copiedTerms, copyNights } from './copy-nights.ts'
import type { CopiedTerms } from './copy-nights.ts'
import { calendarMessages } from './messages.ts'
import { dateOf } from './nights.ts'
import type { CalendarUnit } from './rows.ts'
import { seasonMessages } from './season-messages.ts'
import { usePreview } from './use-preview.ts'
import styles from './calendar-dialog.module.css'

interface CopyDialogProps {
  selected: SelectedNights
  units: readonly CalendarUnit[]
  onCopied: (change: contract.CalendarChange, unitIds: readonly string[]) => void
  onClose: () => void
}

/** 52 weeks: the same weekdays a year later. */
const yearDays = 364
const maxValues = 1000

/** Copies what is decided for nights of a unit to other units, or to the same weekdays of the next year. */
export const CopyDialog = ({ selected, units, onCopied, onClose }: CopyDialogProps) => {
  const text = useMessages(seasonMessages)
  const calendarText = useMessages(calendarMessages)
  const format = useFormat()
  const api = useApi()
  const [first] = selected.units
  const isOne = selected.units.length === 1
  const [goal, setGoal] = useState<'toUnits' | 'toNextYear'>(isOne ? 'toUnits' : 'toNextYear')
  const [terms, setTerms] = useState<readonly CopiedTerms[]>(copiedTerms)
  const [targets, setTargets] = useState<ReadonlySet<string>>(new Set())
  const [query, setQuery] = useState('')
  const [failure, setFailure] = useState<unknown>(null)
  const { data: sources } = useQuery({
    queryKey: ['calendar', 'copy', selected],
    queryFn: async ({ signal }) => {
      const dates = { from: dateOf(selected.from), to: dateOf(selected.to) }
      const found = []
      for (let at = 0; at < selected.units.length; at += 50) {
        const unit_id = selected.units.slice(at, at + 50).map(({ id }) => id)
        found.push(...(await api.send(getCalendar, { query: { ...dates, unit_id }, signal })).calendar)
      }
      return found
    },
  })
  const words = query.toLocaleLowerCase()
  const others = units.filter(({ id, currency }) => id !== first?.id && currency === first?.currency)
  const listed = others.filter(({ name, spaceName }) =>
    `${name} ${spaceName}`.toLocaleLowerCase().includes(words),
  )
  const goals = others.filter(({ id }) => targets.has(id))
  const values =
    sources && terms.length > 0
      ? goal === 'toUnits'
        ? sources.flatMap((source) =>
            goals.flatMap(({ id }) => copyNights(source, terms, { unitId: id, days: 0 })),
          )
        : sources.flatMap((source) => copyNights(source, terms, { unitId: source.unit_id, days: yearDays }))
      : []
  const isPossible = values.length > 0 && values.length <= maxValues
  const { preview, error } = usePreview(isPossible ? values : null)
  const toggle = (id: string) =>
    setTargets((known) =>
      known.has(id) ? new Set([...known].filter((one) => one !== id)) : new Set([...known, id]),
    )

  const copy = async () => {
    try {
      const reply = await api.send(changeCalendar, { body: { values } })
      if ('calendar_change' in reply)
        onCopied(reply.calendar_change, [...new Set(values.map((value) => value.unit_id))])
      onClose()
    } catch (cause) {
      setFailure(cause)
    }
  }
  const dates = [...new Set([selected.from, selected.to])].map((day) => format.date(dateOf(day))).join(' – ')
  const nights = selected.to - selected.from + 1

  return (
    <CalendarDialog title={text('copyTitle')} onClose={onClose}>
      <p className={styles.text}>
        {text('copyFrom', {
          unit: isOne
            ? (first?.name ?? '')
            : calendarText('selected', { nights, units: selected.units.length }),
          dates,
        })}
      </p>
      <fieldset className={styles.options}>
        <legend className="unseen">{text('copyTitle')}</legend>
        {(isOne ? (['toUnits', 'toNextYear'] as const) : (['toNextYear'] as const)).map((one) => (
          <label key={one}>
            <input type="radio" name="goal" checked={goal === one} onChange={() => setGoal(one)} />
            {text(one)}
          </label>
        ))}
      </fieldset>
      {goal === 'toUnits' && (
        <>
          <SearchField label={text('findUnits')} value={query} onChange={setQuery} />
          <div className={`${styles.options} ${styles.units}`}>
            {listed.map(({ id, name, spaceName }) => (
              <label key={id}>
                <input type="checkbox" checked={targets.has(id)} onChange={() => toggle(id)} />
                {name} <small>{spaceName}</small>
              </label>
            ))}
          </div>
        </>
      )}
      <fieldset className={styles.options}>
        <legend>{text('what')}</legend>
        <div className={styles.row}>
          {copiedTerms.map((term) => (
            <label key={term}>
              <input
                type="checkbox"
                checked={terms.includes(term)}
                onChange={({ currentTarget: { checked } }) =>
                  setTerms(copiedTerms.filter((one) => (one === term ? checked : terms.includes(one))))
                }
              />
              {text(term)}
            </label>
          ))}
        </div>
      </fieldset>
      {values.length > maxValues ? (
        <p className={styles.text}>{text('tooMany')}</p>
      ) : !isPossible ? (
        <p className={styles.text}>{text('nothingToCopy')}</p>
      ) : error ? (
        <ProblemNote failure={error} />
      ) : (
        <ChangePreview preview={preview} units={goal === 'toUnits' ? goals : selected.units} fault={null} />
      )}
      <ProblemNote failure={failure} />
      <Button disabled={!preview || preview.nights_below_minimum > 0} onClick={() => void copy()}>
        {preview ? text('copySave', { nights: preview.nights_changed }) : text('copy')}
      </Button>
    </CalendarDialog>
  )
}
