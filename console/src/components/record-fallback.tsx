import { Button } from '@mantine/core'
import { Problem } from '@vacancy/client'

import { useFailureText } from '../i18n/failure-text.ts'
import { useMessages } from '../i18n/language.tsx'
import { useCaller } from '../session/api.tsx'
import { componentMessages } from './component-messages.ts'
import { EmptyState } from './empty-state.tsx'
import { ProblemNote } from './problem-note.tsx'
import { TableSkeleton } from './table-skeleton.tsx'

interface RecordFallbackProps {
  /** Why the record could not be read; null while it is being read. */
  error: unknown
  /** Says which record could not be read. */
  title: string
  onRetry: () => void
}

/** Stands on the page of a record until the record is there. */
export const RecordFallback = ({ error, title, onRetry }: RecordFallbackProps) => {
  const text = useMessages(componentMessages)
  const describe = useFailureText()
  const { caller } = useCaller()
  if (!error) return <TableSkeleton />
  // An address that leads to no record: asking again does not help.
  if (error instanceof Problem && (error.status === 404 || error.status === 400))
    return (
      <EmptyState tone="bad" title={title}>
        {caller && caller.memberships.length > 1
          ? text('noRecordHere', { organization: caller.organization.name })
          : text('noRecord')}
      </EmptyState>
    )
  return (
    <EmptyState tone="bad" title={title} action={<Button onClick={onRetry}>{text('tryAgain')}</Button>}>
      {describe(error)}
    </EmptyState>
  )
}

/** Whether a record that could be read before has been deleted meanwhile. */
export const isDeleted = (error: unknown): boolean => error instanceof Problem && error.status === 404

/** Over a record that is shown and has been deleted elsewhere meanwhile: what was typed can still be copied. */
export const DeletedNote = ({ error }: { error: unknown }) => {
  const text = useMessages(componentMessages)
  return <ProblemNote failure={isDeleted(error) && text('isDeleted')} />
}
