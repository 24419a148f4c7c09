import { useEffect, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { Modal } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'

import { DialogRoot } from '../components/dialog-root.tsx'
import { Search } from '../components/icons.tsx'
import { useFailureText } from '../i18n/failure-text.ts'
import { usePaletteItems } from './palette-items.ts'
import type { PaletteItem } from './palette-items.ts'
import styles from './palette.module.css'

/** Screens and actions are found at once, records by a search. */
const isFixed = (item: PaletteItem | undefined) => item?.group === 'screens' || item?.group === 'actions'

interface PaletteProps {
  onClose: () => void
  onSheet: () => void
  onSignOut: () => void
}

/** One field that leads to every screen, record and action. */
export const Palette = ({ onClose, onSheet, onSignOut }: PaletteProps) => {
  const router = useRouter()
  const describe = useFailureText()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const { items, isSearching, failure, text } = usePaletteItems(query, { onSheet, onSignOut })
  useEffect(() => setActive(0), [query])
  // Records are those of an earlier query until the search has answered.
  const [isEntered, setEntered] = useState(false)
  useEffect(() => {
    if (!isEntered || isSearching) return
    setEntered(false)
    if (items[active]) run(items[active])
  }, [isEntered, isSearching])
  useEffect(() => {
    document.querySelector('[data-palette-active]')?.scrollIntoView({ block: 'nearest' })
  }, [active])

  const run = ({ target }: PaletteItem) => {
    onClose()
    if (typeof target === 'string') router.history.push(target)
    else target()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const chosen = items[active]
    if (step) setActive((active + step + items.length) % Math.max(items.length, 1))
    else if (event.key === 'Enter' && isSearching && !isFixed(chosen)) setEntered(true)
    else if (event.key === 'Enter' && chosen) run(chosen)
    else return
    event.preventDefault()
  }
  const groups = [...Map.groupBy(items, ({ group }) => group)]

  return (
    <DialogRoot onClose={onClose} size="lg" yOffset="12vh" transitionProps={{ duration: 0 }}>
      <Modal.Overlay backgroundOpacity={0.25} />
      <Modal.Content aria-label={text('title')}>
        <Modal.Body className={styles.body}>
          <div className={styles.field}>
            <Search />
            <input
              data-autofocus
              role="combobox"
              aria-expanded="true"
              aria-controls="palette-items"
              aria-activedescendant={items[active] ? `palette-${active}` : undefined}
              aria-label={text('title')}
              placeholder={text('placeholder')}
              autoComplete="off"
              spellCheck={false}
              value={query}
              onChange={(event) => {
                setQuery(event.currentTarget.value)
                setEntered(false)
              }}
              onKeyDown={press}
            />
          </div>
          <div id="palette-items" className={styles.items} role="listbox" aria-label={text('title')}>
            {groups.map(([group, own]) => (
              <div key={group} role="group" aria-label={text(group)}>
                <p className={styles.group} aria-hidden="true">
                  {text(group)}
                </p>
                {own.map((item) => {
                  const index = items.indexOf(item)
                  return (
                    <div
                      key={item.key}
                      id={`palette-${index}`}
                      role="option"
                      className={styles.item}
                      aria-selected={index === active}
                      data-palette-active={index === active || undefined}
                      onMouseMove={() => setActive(index)}
                      onClick={() => run(item)}
                    >
                      <span>{item.name}</span>
                      {item.note && <small>{item.note}</small>}
                    </div>
                  )
                })}
              </div>
            ))}
          </div>
          <p className={styles.note} role="status">
            {failure && !isSearching
              ? describe(failure)
              : items.length > 0
                ? ''
                : isSearching
                  ? text('searching')
                  : text('nothing', { query })}
          </p>
        </Modal.Body>
      </Modal.Content>
    </DialogRoot>
  )
}
