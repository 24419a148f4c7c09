import { useState } from 'react'

/** Which records of a list are selected, by their ids. */
export const useSelection = () => {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  return {
    selected,
    /** Selects all of these, or none of them when all are selected already. */
    toggle: (ids: readonly string[]) =>
      setSelected((before) => {
        const kept = [...before].filter((id) => !ids.includes(id))
        return new Set(ids.every((id) => before.has(id)) ? kept : [...before, ...ids])
      }),
    clear: () => setSelected(new Set()),
  }
}
