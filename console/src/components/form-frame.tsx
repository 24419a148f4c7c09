import type { ReactNode } from 'react'
import { Button } from '@mantine/core'

import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import { useFocusAgain } from './focus-again.ts'
import { useFocusInvalid } from './focus-invalid.ts'
import { ProblemNote } from './problem-note.tsx'
import type { Draft, RecordForm } from './record-form.ts'
import { UnsavedChanges } from './unsaved-changes.tsx'
import styles from './form.module.css'

interface FormFrameProps<D extends Draft> {
  form: RecordForm<D>
  /** Why the person may not change this. */
  refusal?: string | undefined
  /** The buttons of a new record; one that exists shows a bar as soon as something was changed. */
  buttons?: ReactNode
  children: ReactNode
}

/** The form of a record: its fields, what somebody else changed meanwhile, what is wrong, and how it is saved. */
export const FormFrame = <D extends Draft>({ form, refusal, buttons, children }: FormFrameProps<D>) => {
  const text = useMessages(componentMessages)
  const element = useFocusInvalid(form.failure)
  // A form with buttons of its own is gone once it is saved, with what was typed meanwhile.
  const isDisabled = refusal !== undefined || (buttons !== undefined && form.isSaving)
  const focusAgain = useFocusAgain(isDisabled)
  return (
    <form ref={element} noValidate {...focusAgain} onSubmit={form.submit}>
      <UnsavedChanges isDirty={form.isDirty && !form.isSaving} />
      <fieldset className={styles.plain} disabled={isDisabled} title={refusal}>
        {children}
      </fieldset>
      <div className={buttons ? undefined : styles.foot}>
        {form.isConflict && form.isDirty && (
          <p className={styles.conflict} role="alert">
            {text('conflict')}
          </p>
        )}
        <ProblemNote failure={form.failure} fields={form.fields} />
        {buttons}
        {!buttons && form.isDirty && (
          <div className={styles.savebar} role="region" aria-label={text('saveChanges')}>
            <span>{text('unsaved')}</span>
            <Button variant="default" onClick={form.discard}>
              {text('discard')}
            </Button>
            <Button type="submit" loading={form.isSaving}>
              {text('saveChanges')}
            </Button>
          </div>
        )}
      </div>
    </form>
  )
}
