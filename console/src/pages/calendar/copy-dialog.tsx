import { useState } from 'react'
import { Button } from '@mantine/core'
import { copyCalendar } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { SearchField } from '../../components/filters.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useFailure } from '../../components/use-failure.ts'
import { fold } from '../../i18n/fold.ts'
import { useFormat } from '../../i18n/format.ts'
import { useIsShown } from '../../components/use-is-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useSendOnce } from '../../session/api.tsx'
import { CalendarDialog } from './calendar-dialog.tsx'
import type { SelectedNights } from './change-draft.ts'
import { ChangePreview } from './change-preview.tsx'
import { calendarMessages } from './messages.ts'
import { dateOf } from './nights.ts'
import type { CalendarUnit } from './rows.ts'
import { seasonMessages } from './season-messages.ts'
import { previewCopy, usePreview } from './use-preview.ts'
import styles from './calendar-dialog.module.css'

interface CopyDialogProps {
  selected: SelectedNights
  units: readonly CalendarUnit[]
  onCopied: (change: contract.CalendarChange, unitIds: readonly string[]) => void
  onClose: () => void
}

/** What can be chosen, and the members of a night that belong to it. */
const members = {
  prices: ['price_cents'],
  stays: ['min_stay_arrival', 'min_stay_through', 'max_stay'],
  restrictions: ['closed_to_arrival', 'closed_to_departure', 'stop_sell'],
} as const satisfies Record<string, contract.CalendarCopyInput['members']>
type Terms = keyof typeof members
const allTerms = Object.keys(members) as Terms[]

/** Copies what is decided for nights of a unit to other units, or to the same weekdays of the next year. */
export const CopyDialog = ({ selected, units, onCopied, onClose }: CopyDialogProps) => {
  const text = useMessages(seasonMessages)
  const calendarText = useMessages(calendarMessages)
  const format = useFormat()
  const sendOnce = useSendOnce()
  const [first] = selected.units
  const isOne = selected.units.length === 1
  const [goal, setGoal] = useState<'toUnits' | 'toNextYear'>(isOne ? 'toUnits' : 'toNextYear')
  const [terms, setTerms] = useState<readonly Terms[]>(allTerms)
  const [targets, setTargets] = useState<ReadonlySet<string>>(new Set())
  const [query, setQuery] = useState('')
  const [failure, setFailure] = useFailure()
  const isShown = useIsShown()
  const [isCopying, setCopying] = useState(false)
  const words = fold(query)
  const others = units.filter(({ id, currency }) => id !== first?.id && currency === first?.currency)
  const listed = others.filter(({ name, spaceName }) => fold(`${name} ${spaceName}`).includes(words))
  const goals = others.filter(({ id }) => targets.has(id))
  const changed = goal === 'toUnits' ? goals : selected.units
  const input: contract.CalendarCopyInput | null =
    changed.length > 0 && terms.length > 0
      ? {
          unit_ids: changed.map(({ id }) => id),
          ...(goal === 'toNextYear' ? { years: 1 } : first && { source_unit_id: first.id }),
          date_from: dateOf(selected.from),
          date_to: dateOf(selected.to),
          members: terms.flatMap((term) => [...members[term]]),
        }
      : null
  const { preview, error, retry } = usePreview(input, previewCopy)
  const toggle = (id: string) =>
    setTargets((known) =>
      known.has(id) ? new Set([...known].filter((one) => one !== id)) : new Set([...known, id]),
    )

  const copy = async (body: contract.CalendarCopyInput) => {
    setCopying(true)
    try {
      const reply = await sendOnce(copyCalendar, { body })
      if ('calendar_change' in reply) onCopied(reply.calendar_change, body.unit_ids)
      if (isShown.current) onClose()
    } catch (cause) {
      setFailure(cause)
      setCopying(false)
    }
  }
  const dates = [...new Set([selected.from, selected.to])].map((day) => format.date(dateOf(day))).join(' – ')
  const nights = selected.to - selected.from + 1

  return (
    <CalendarDialog
      title={text('copyTitle')}
      isDirty={targets.size > 0 || terms.length < allTerms.length}
      onClose={onClose}
    >
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
          {allTerms.map((term) => (
            <label key={term}>
              <input
                type="checkbox"
                checked={terms.includes(term)}
                onChange={({ currentTarget: { checked } }) =>
                  setTerms(allTerms.filter((one) => (one === term ? checked : terms.includes(one))))
                }
              />
              {text(term)}
            </label>
          ))}
        </div>
      </fieldset>
      {!input ? (
        <p className={styles.text}>{text('nothingToCopy')}</p>
      ) : error ? (
        <ProblemNote failure={error} onRetry={retry} />
      ) : (
        <ChangePreview preview={preview} units={changed} fault={null} />
      )}
      <ProblemNote failure={failure} />
      <Button
        disabled={!input || !preview || preview.nights_below_minimum > 0}
        loading={isCopying}
        onClick={() => input && void copy(input)}
      >
        {preview ? text('copySave', { nights: preview.nights_changed }) : text('copy')}
      </Button>
    </CalendarDialog>
  )
}
