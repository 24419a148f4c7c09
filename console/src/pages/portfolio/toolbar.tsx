import type { Ref } from 'react'
import { CloseButton, Kbd, TextInput, UnstyledButton } from '@mantine/core'

import { Keyboard, Search } from '../../parts/icons.tsx'
import type { Filter } from './filter.ts'
import look from './toolbar.module.css'

interface ToolbarProps {
  ref: Ref<HTMLInputElement>
  filter: Filter
  onFilter: (filter: Filter) => void
  onSheet: () => void
}

export const Toolbar = ({ ref, filter, onFilter, onSheet }: ToolbarProps) => {
  const { q: typed = '', ...rest } = filter
  const seek = (q: string) => onFilter(q ? { ...rest, q } : rest)
  return (
    <div className={look.toolbar}>
      <TextInput
        ref={ref}
        className={look.search}
        type="text"
        role="searchbox"
        aria-label="Search units, spaces and listings"
        placeholder="Search units, spaces, external ids"
        leftSection={<Search />}
        rightSection={
          typed ? (
            <CloseButton size="sm" aria-label="Clear the search" onClick={() => seek('')} />
          ) : (
            <Kbd size="xs" aria-hidden="true">
              /
            </Kbd>
          )
        }
        value={typed}
        onChange={(event) => seek(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          seek('')
          event.currentTarget.blur()
        }}
      />
      <UnstyledButton className={look.keys} onClick={onSheet} aria-label="Keyboard shortcuts">
        <Keyboard />
        <span>Shortcuts</span>
        <Kbd size="xs">?</Kbd>
      </UnstyledButton>
    </div>
  )
}
