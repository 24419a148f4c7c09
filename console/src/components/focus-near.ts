const control = ':is(a[href], button, input, select, textarea, [tabindex="0"]):not(:disabled)'
const roots = '#content, [role=dialog]'

/** Remembers what surrounds an element; the result gives the focus to the nearest of it that is still there, if any. */
export const focusNear = (element: Element | null): (() => boolean) => {
  const root = element?.closest(roots)
  const places: Element[] = []
  for (let part = element; root && part && part !== root; part = part.parentElement)
    for (const place of [part.nextElementSibling, part.previousElementSibling, part.parentElement])
      if (place) places.push(place)
  return () => {
    for (const place of places) {
      const found = place.isConnected && controlIn(place)
      if (!found) continue
      found.focus({ preventScroll: true })
      return true
    }
    return false
  }
}

/** The screen or the dialog itself takes the focus, so that it is read from its beginning. */
const controlIn = (place: Element) =>
  [place, ...(place.matches(roots) ? [] : place.querySelectorAll(control))].find(
    (one): one is HTMLElement =>
      one instanceof HTMLElement && one.matches(`${control}, ${roots}`) && one.checkVisibility(),
  )
