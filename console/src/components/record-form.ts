import { useState } from 'react'
import type { FormEvent } from 'react'

import { isVersionConflict } from '../i18n/failure-text.ts'
import { fieldFaults } from './problem-note.tsx'
import { useFailure } from './use-failure.ts'

/** What the fields of a form show, under the names that the API gives them. */
export type Draft = Record<string, string>

/** The members that have other values than before. */
export const differing = <Values extends object>(now: Values, before: Values) =>
  pickNamed(
    now,
    new Set(Object.keys(now).filter((name) => now[name as keyof Values] !== before[name as keyof Values])),
  )

/** The members with these names. */
export const pickNamed = <Values extends object>(values: Values, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name))) as Partial<Values>

interface RecordFormOptions<D extends Draft> {
  /** The record as it is now; of a new one, what its fields begin with. */
  current: D
  etag?: string | null
  /** Sends the draft; `changed` names the fields that differ. Returns false when the person decided not to. */
  save: (draft: D, changed: ReadonlySet<string>, etag: string | null) => Promise<unknown>
  /** Reads the record again, after it was saved or somebody else changed it. */
  refresh?: () => Promise<unknown>
}

export type RecordForm<D extends Draft> = ReturnType<typeof useRecordForm<D>>

/**
 * The fields of a record while they are edited. What was typed lies over the record as it is now: when somebody else
 * changes the record meanwhile, the other fields follow, and saving replaces only what was typed.
 */
export const useRecordForm = <D extends Draft>(options: RecordFormOptions<D>) => {
  const { current, etag = null, save, refresh } = options
  const [edits, setEdits] = useState<Partial<D>>({})
  /** The record as it was when the first field was changed. */
  const [start, setStart] = useState<{ values: D; etag: string | null } | null>(null)
  const [failure, setFailure] = useFailure()
  const [isSaving, setSaving] = useState(false)

  const draft: D = { ...current, ...edits }
  const changed: ReadonlySet<string> = new Set(Object.keys(differing(edits, current)))
  const isConflict = start !== null && start.etag !== etag
  const faults = fieldFaults(failure)

  // Also of what was typed while the form was being saved.
  if (start === null && changed.size > 0 && !isSaving) setStart({ values: current, etag })
  const change = (next: Partial<D>) => {
    setEdits((before) => ({ ...before, ...next }))
    setFailure(null)
  }
  const discard = () => {
    setEdits({})
    setStart(null)
    setFailure(null)
  }
  /** What was typed while the form was being saved is not saved yet. */
  const discardSaved = () => {
    setEdits((now) => differing(now, edits))
    setStart(null)
    setFailure(null)
  }
  /** Saves, and throws what keeps it from being saved; the fields show it too. */
  const send = async () => {
    setSaving(true)
    setFailure(null)
    try {
      if ((await save(draft, changed, etag)) === false) return
      await refresh?.()
      discardSaved()
    } catch (cause) {
      if (isVersionConflict(cause)) await refresh?.()
      setFailure(cause)
      throw cause
    } finally {
      setSaving(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isSaving) send().catch(() => {})
  }
  return {
    draft,
    isDirty: changed.size > 0,
    isConflict,
    isSaving,
    // What somebody else changed is shown at the fields, once it could be read.
    failure: isConflict && isVersionConflict(failure) ? null : failure,
    fields: Object.keys(current),
    /** The fault of a field. */
    faultOf: (name: keyof D & string) => faults[name],
    /** What somebody else set a field to that was changed here too. */
    othersValue: (name: keyof D & string) =>
      isConflict && changed.has(name) && start.values[name] !== current[name] ? current[name] : undefined,
    change,
    discard,
    send,
    submit,
  }
}
