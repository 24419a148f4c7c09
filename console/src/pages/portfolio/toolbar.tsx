import type { Ref } from 'react'
import { CloseButton, Kbd, TextInput, UnstyledButton } from '@mantine/core'

import { Keyboard, Search } from '../../components/icons.tsx'
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
  const { q: typed = '', ...rest } = filter
  const search = (q: string) => onFilter(q ? { ...rest, q } : rest)
  return (
    <div className={styles.toolbar}>
      <TextInput
        ref={ref}
        className={styles.search}
        type="text"
        role="searchbox"
        aria-label={text('search')}
        placeholder={text('searchPlaceholder')}
        leftSection={<Search />}
        rightSection={
          typed ? (
            <CloseButton size="sm" aria-label={text('clearSearch')} onClick={() => search('')} />
          ) : (
            <Kbd size="xs" aria-hidden="true">
              /
            </Kbd>
          )
        }
        value={typed}
        onChange={(event) => search(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          search('')
          event.currentTarget.blur()
        }}
      />
      <UnstyledButton className={styles.keys} onClick={onSheet} aria-label={text('shortcuts')}>
        <Keyboard />
        <span>{text('shortcutsShort')}</span>
        <Kbd size="xs">?</Kbd>
      </UnstyledButton>
    </div>
  )
}
