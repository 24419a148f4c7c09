import { useEffect, useRef } from 'react'

interface Layer {
  current: () => void
}

/** What Escape closes, the topmost last. */
const layers: Layer[] = []

const press = ({ key, isComposing, target }: KeyboardEvent) => {
  // An open list of Mantine, which Escape closes first.
  const isTaken = target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true'
  if (key === 'Escape' && !isComposing && !isTaken) layers.at(-1)?.current()
}

/** Closes a dialog by Escape while no other one is over it; Mantine's own would close all that are open. */
export const useEscape = (onEscape: () => void) => {
  const layer = useRef(onEscape)
  useEffect(() => {
    layer.current = onEscape
  })
  useEffect(() => {
    if (layers.length === 0) window.addEventListener('keydown', press, true)
    layers.push(layer)
    return () => {
      layers.splice(layers.indexOf(layer), 1)
      if (layers.length === 0) window.removeEventListener('keydown', press, true)
    }
  }, [])
}
