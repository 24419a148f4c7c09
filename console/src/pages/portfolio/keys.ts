import { useEffect } from 'react'
import type { RefObject } from 'react'

interface Keys {
  search: RefObject<HTMLInputElement | null>
  showSheet: () => void
}

/** The page's own keys; they rest while someone types or a dialog is open. */
export const useKeys = ({ search, showSheet }: Keys) => {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event)) return
      const act = {
        '/': () => search.current?.select(),
        '?': showSheet,
        j: () => move(1),
        k: () => move(-1),
      }[event.key]
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
}

/** To the price of the next or previous unit, from wherever in its row the focus is. */
const move = (by: 1 | -1) => {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-unit]')]
  const here = rows.findIndex((row) => row.contains(document.activeElement))
  const next = rows[here < 0 ? 0 : here + by]
  next?.querySelector<HTMLElement>('[data-price]')?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

const isBusy = ({ target }: KeyboardEvent) =>
  (target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null) ||
  document.querySelector('[aria-modal="true"]') !== null
