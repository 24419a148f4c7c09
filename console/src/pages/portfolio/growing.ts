import { useEffect, useMemo, useRef, useState } from 'react'

import type { Group } from './arrange.ts'

const step = 60

/** Draws the first rows at once and more as one scrolls, so that a thousand units open as fast as ten. */
export const useGrowing = (groups: Group[]) => {
  const [most, setMost] = useState(step)
  const sentinel = useRef<HTMLDivElement>(null)
  const visible = useMemo(() => firstRows(groups, most), [groups, most])
  const isAll = visible.length === groups.length

  useEffect(() => {
    const end = sentinel.current
    if (!end || isAll) return
    const watch = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && setMost((now) => now + step),
      { rootMargin: '1200px' },
    )
    watch.observe(end)
    return () => watch.disconnect()
  }, [isAll, visible])

  return { visible, sentinel }
}

/** Whole groups, until they hold as many rows as asked for. */
const firstRows = (groups: Group[], most: number): Group[] => {
  let rows = 0
  const end = groups.findIndex((group) => (rows += Math.max(group.rows.length, 1)) >= most)
  return end < 0 ? groups : groups.slice(0, end + 1)
}
