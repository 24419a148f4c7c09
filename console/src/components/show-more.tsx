import { Button } from '@mantine/core'
import type { ButtonProps } from '@mantine/core'

import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import { ProblemNote } from './problem-note.tsx'
import type { RecordList } from './use-records.ts'

export interface ShowMoreProps extends Pick<ButtonProps, 'className' | 'size' | 'fullWidth'> {
  list: Pick<RecordList<unknown>, 'hasMore' | 'isLoadingMore' | 'moreError' | 'loadMore'>
  label?: string
}

/** Reads the next page of a list, and says why when that failed. */
export const ShowMore = ({ list, label, ...props }: ShowMoreProps) => {
  const text = useMessages(componentMessages)
  const { hasMore, isLoadingMore, moreError, loadMore } = list
  if (!hasMore) return null
  if (moreError && !isLoadingMore) return <ProblemNote failure={moreError} onRetry={loadMore} />
  return (
    <Button variant="default" {...props} loading={isLoadingMore} onClick={loadMore}>
      {label ?? text('showMore')}
    </Button>
  )
}
