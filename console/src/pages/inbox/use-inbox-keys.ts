import { useEffect } from 'react'

/** j and k move between the items, x selects one; Enter unfolds it, because its title is a button. */
export const useInboxKeys = () => {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event)) return
      const action = { j: () => focusItem(1), k: () => focusItem(-1), x: selectItem }[event.key]
      if (!action) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

const items = () => [...document.querySelectorAll<HTMLElement>('[data-item]')]

const focusItem = (step: 1 | -1) => {
  const all = items()
  const current = all.findIndex((item) => item.contains(document.activeElement))
  const next = all[current < 0 ? 0 : current + step]
  next?.querySelector<HTMLElement>('[aria-expanded]')?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

const selectItem = () =>
  items()
    .find((item) => item.contains(document.activeElement))
    ?.querySelector<HTMLElement>('input[type=checkbox]')
    ?.click()

const isBusy = ({ target }: KeyboardEvent) =>
  (target instanceof Element && target.closest('input:not([type=checkbox]), textarea, select') !== null) ||
  document.querySelector('[aria-modal="true"]') !== null
