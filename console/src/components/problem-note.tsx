import { Button } from '@mantine/core'
import { Problem } from '@vacancy/client'

import { fieldMessage, originalText, useFailureText } from '../i18n/failure-text.ts'
import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import { InvalidFields } from './invalid-fields.ts'
import styles from './problem-note.module.css'

interface ProblemNoteProps {
  /** What was thrown; nothing is shown without it. */
  failure: unknown
  /** The fields that show their own fault, so that it is not repeated here. */
  fields?: readonly string[]
  onRetry?: () => void
}

/** Why a call failed: its sentence, the faults that no field shows, and the request id. */
export const ProblemNote = ({ failure, fields = [], onRetry }: ProblemNoteProps) => {
  const text = useMessages(componentMessages)
  const describe = useFailureText()
  if (!failure) return null
  const faulty = Object.keys(fieldFaults(failure))
  if (faulty.length > 0 && faulty.every((name) => fields.includes(name))) return null
  // The sentence of an unexpected failure has the request id already.
  const requestId = failure instanceof Problem && failure.status < 500 ? failure.requestId : null
  const original = originalText(failure)
  return (
    <div className={styles.note} role="alert">
      <div>
        {describe(failure)}
        {original && (
          <span className={styles.original} lang="en">
            {original}
          </span>
        )}
        {requestId && <span className={styles.requestId}>{text('requestId', { id: requestId })}</span>}
      </div>
      {onRetry && (
        <Button size="compact-sm" variant="default" onClick={onRetry}>
          {text('tryAgain')}
        </Button>
      )}
    </div>
  )
}

/** The fault of each field of a form, by the path of its member: `name`, `charges/0/amount_cents`. */
export const fieldFaults = (failure: unknown): Partial<Record<string, string>> =>
  failure instanceof InvalidFields
    ? failure.faults
    : failure instanceof Problem
      ? Object.fromEntries(
          failure.errors.map((error) => [error.pointer.replace(/^\//, ''), fieldMessage(error)]),
        )
      : {}
