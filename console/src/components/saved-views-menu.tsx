import { useId, useState } from 'react'
import type { FormEvent } from 'react'
import { Button, CloseButton, Popover, TextInput, UnstyledButton } from '@mantine/core'

import { useMessages } from '../i18n/language.tsx'
import { useCaller } from '../session/api.tsx'
import { componentMessages } from './component-messages.ts'
import { ChevronDown } from './icons.tsx'
import { useOpenAtOnce } from './loaded-part.tsx'
import styles from './saved-views.module.css'

interface View<F> {
  name: string
  filter: F
}

export interface SavedViewsProps<F> {
  screen: string
  filter: F
  onFilter: (filter: F) => void
}

/** The button and the list under it, open at first. */
export const SavedViewsMenu = <F extends object>({ screen, filter, onFilter }: SavedViewsProps<F>) => {
  const text = useMessages(componentMessages)
  const { caller } = useCaller()
  const key = `views ${screen} ${caller?.organization.id ?? ''}`
  const { button, isOpen, setOpen } = useOpenAtOnce()
  const [views, setViews] = useState<View<F>[]>(() => readViews<F>(key))
  const [name, setName] = useState('')
  const listId = useId()

  const toggle = () => {
    setViews(readViews<F>(key))
    setOpen((wasOpen) => !wasOpen)
  }
  /** Another tab may have changed them meanwhile. */
  const replace = (replaced: string, ...added: View<F>[]) => {
    const next = [...readViews<F>(key).filter((view) => view.name !== replaced), ...added]
    localStorage.setItem(key, JSON.stringify(next))
    setViews(next)
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    const trimmed = name.trim()
    if (!trimmed) return
    replace(trimmed, { name: trimmed, filter })
    setName('')
  }
  const show = (view: View<F>) => {
    onFilter(view.filter)
    setOpen(false)
  }

  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button {...button} variant="default" rightSection={<ChevronDown />} onClick={toggle}>
          {text('views')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.dropdown} aria-label={text('views')}>
        {views.length === 0 && <p className={styles.empty}>{text('noViews')}</p>}
        <ul id={listId} className={styles.views}>
          {views.map((view) => (
            <li key={view.name}>
              <UnstyledButton className={styles.view} onClick={() => show(view)}>
                {view.name}
              </UnstyledButton>
              <CloseButton
                size="sm"
                aria-label={text('deleteView', { name: view.name })}
                onClick={() => replace(view.name)}
              />
            </li>
          ))}
        </ul>
        {Object.keys(filter).length > 0 && (
          <form className={styles.form} onSubmit={save}>
            <TextInput
              aria-label={text('viewName')}
              placeholder={text('viewName')}
              maxLength={60}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" disabled={!name.trim()}>
              {text('saveView')}
            </Button>
          </form>
        )}
      </Popover.Dropdown>
    </Popover>
  )
}

const readViews = <F,>(key: string): View<F>[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? (kept as View<F>[]) : []
  } catch {
    return []
  }
}
