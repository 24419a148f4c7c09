import { useEffect } from 'react'
import type { RefObject } from 'react'

/** The keys of this screen; they do nothing while someone types or a dialog is open. */
export const useShortcuts = (search: RefObject<HTMLInputElement | null>) => {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event)) return
      const action = {
        '/': () => search.current?.select(),
        j: () => focusUnit(1),
        k: () => focusUnit(-1),
      }[event.key]
      if (!action) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
}

/** Focuses the price of the next or previous unit; the rows around the visible ones are in the document. */
const focusUnit = (step: 1 | -1) => {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-unit]')]
  const current = rows.findIndex((row) => row.parentElement?.contains(document.activeElement))
  const next = rows[current < 0 ? 0 : current + step]
  next?.querySelector<HTMLElement>('[data-price]')?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

const isBusy = ({ target }: KeyboardEvent) =>
  (target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null) ||
  document.querySelector('[aria-modal="true"]') !== null
