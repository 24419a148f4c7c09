import type { Ref } from 'react'
import { Kbd, UnstyledButton } from '@mantine/core'

import { SearchField } from '../../components/filters.tsx'
import { Keyboard } from '../../components/icons.tsx'
import { withMember } from '../../components/read-search.ts'
import { SavedViews } from '../../components/saved-views.tsx'
import { useMessages } from '../../i18n/language.tsx'
import type { Filter } from './filter.ts'
import { portfolioMessages } from './messages.ts'
import styles from './toolbar.module.css'

interface ToolbarProps {
  ref: Ref<HTMLInputElement>
  filter: Filter
  onFilter: (filter: Filter) => void
  onSheet: () => void
}

/** The search of the portfolio; stays visible while the list scrolls. */
export const Toolbar = ({ ref, filter, onFilter, onSheet }: ToolbarProps) => {
  const text = useMessages(portfolioMessages)
  return (
    <div className={styles.toolbar}>
      <SearchField
        ref={ref}
        label={text('search')}
        placeholder={text('searchPlaceholder')}
        hint={
          <Kbd size="xs" aria-hidden="true">
            /
          </Kbd>
        }
        value={filter.q}
        onChange={(q) => onFilter(withMember(filter, 'q', q))}
      />
      <div className={styles.end}>
        <UnstyledButton className={styles.keys} onClick={onSheet} aria-label={text('shortcuts')}>
          <Keyboard />
          <span>{text('shortcutsShort')}</span>
          <Kbd size="xs">?</Kbd>
        </UnstyledButton>
        <SavedViews screen="units" filter={filter} onFilter={onFilter} />
      </div>
    </div>
  )
}
