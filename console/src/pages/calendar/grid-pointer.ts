import { useEffect, useRef } from 'react'
import type { PointerEvent, RefObject } from 'react'
import type { Virtualizer } from '@tanstack/react-virtual'

import type { GridLayout } from './grid-layout.ts'
import type { CalendarRow } from './rows.ts'
import type { CellPosition, Selection } from './selection.ts'

export interface GridPointer {
  scroller: RefObject<HTMLDivElement | null>
  vertical: Virtualizer<HTMLDivElement, Element>
  rows: readonly CalendarRow[]
  unitCount: number
  firstDay: number
  layout: GridLayout
  selection: Selection | null
  onSelect: (selection: Selection) => void
  onSelected: () => void
  /** A bar was pressed and moved: whether it may be, and then each place over which it is. */
  onDragStart: (barId: string) => boolean
  onDrag: (steps: { unit: number; days: number }) => void
  onDrop: () => void
  onCancel: () => void
}

/** A bar that moves less than this is clicked. */
const minDragPx = 5
const edgePx = 40
const scrollPxPerFrame = 14

type Press =
  | { kind: 'nights'; planId?: string }
  | { kind: 'days'; from: number }
  | { kind: 'bar'; id: string; x: number; y: number; day: number; isDragged: boolean }

/** Selecting nights and moving bars with the mouse; the calendar scrolls while the pointer is at its edge. */
export const useGridPointer = (grid: GridPointer) => {
  const press = useRef<Press | null>(null)
  const last = useRef({ x: 0, y: 0 })
  const latest = useRef(grid)
  latest.current = grid
  const frame = useRef(0)

  const cellAt = (x: number, y: number): { day: number; row: CalendarRow | undefined } | null => {
    const { scroller, layout, firstDay, vertical, rows } = latest.current
    const element = scroller.current
    if (!element) return null
    const box = element.getBoundingClientRect()
    const day =
      firstDay + Math.floor((x - box.left + element.scrollLeft - layout.nameWidth) / layout.cellWidth)
    const item = vertical.getVirtualItemForOffset(
      Math.max(y - box.top, layout.headerHeight) + element.scrollTop,
    )
    return { day, row: item && rows[item.index] }
  }

  const extend = (x: number, y: number) => {
    const { onSelect, selection, unitCount, onDrag } = latest.current
    const cell = cellAt(x, y)
    const unit = cell?.row && cell.row.kind !== 'space' ? cell.row.unitIndex : undefined
    const now = press.current
    if (!cell || !now) return
    if (now.kind === 'days')
      return onSelect({ anchor: { unit: 0, day: now.from }, head: { unit: unitCount - 1, day: cell.day } })
    if (unit === undefined) return
    if (now.kind === 'bar') return onDrag({ unit, days: cell.day - now.day })
    if (selection && (selection.head.day !== cell.day || selection.head.unit !== unit))
      onSelect({ ...selection, head: { unit: now.planId ? selection.anchor.unit : unit, day: cell.day } })
  }

  const scrollAtEdge = () => {
    const element = latest.current.scroller.current
    if (!element || !press.current) return
    const { x, y } = last.current
    const box = element.getBoundingClientRect()
    const { nameWidth, headerHeight } = latest.current.layout
    const step = (at: number, start: number, end: number) =>
      at < start + edgePx ? -scrollPxPerFrame : at > end - edgePx ? scrollPxPerFrame : 0
    const left = step(x, box.left + nameWidth - edgePx / 2, box.right)
    const top = press.current.kind === 'days' ? 0 : step(y, box.top + headerHeight - edgePx / 2, box.bottom)
    if (left !== 0 || top !== 0) {
      element.scrollBy(left, top)
      extend(x, y)
    }
    frame.current = requestAnimationFrame(scrollAtEdge)
  }

  const stop = () => {
    cancelAnimationFrame(frame.current)
    press.current = null
  }
  useEffect(() => stop, [])

  const start = (event: PointerEvent<HTMLDivElement>) => {
    const { scroller, layout, selection, onSelect, unitCount } = latest.current
    if (event.button !== 0 || event.pointerType === 'touch' || !(event.target instanceof Element)) return
    if (event.target.closest('[role="rowheader"]')) return
    const cell = cellAt(event.clientX, event.clientY)
    const box = scroller.current?.getBoundingClientRect()
    if (!cell || !box) return
    last.current = { x: event.clientX, y: event.clientY }
    const bar = event.target.closest<HTMLElement>('[data-bar]')
    if (bar?.dataset.bar) {
      const { clientX: x, clientY: y } = event
      press.current = { kind: 'bar', id: bar.dataset.bar, x, y, day: cell.day, isDragged: false }
      return
    }
    if (
      event.clientX < box.left + layout.nameWidth ||
      event.clientX > box.left + event.currentTarget.clientWidth
    )
      return
    if (event.clientY > box.top + event.currentTarget.clientHeight) return
    if (event.clientY < box.top + layout.headerHeight) {
      press.current = { kind: 'days', from: cell.day }
      onSelect({ anchor: { unit: 0, day: cell.day }, head: { unit: unitCount - 1, day: cell.day } })
    } else {
      if (!cell.row || cell.row.kind === 'space') return
      const head: CellPosition = { unit: cell.row.unitIndex, day: cell.day }
      const plan = cell.row.kind === 'plan' ? { planId: cell.row.planId } : {}
      press.current = { kind: 'nights', ...plan }
      onSelect({ anchor: event.shiftKey && selection ? selection.anchor : head, head, ...plan })
    }
    event.currentTarget.setPointerCapture(event.pointerId)
    frame.current = requestAnimationFrame(scrollAtEdge)
  }

  const move = (event: PointerEvent<HTMLDivElement>) => {
    const now = press.current
    if (!now) return
    const { clientX: x, clientY: y } = event
    last.current = { x, y }
    if (now.kind === 'bar' && !now.isDragged) {
      if (Math.hypot(x - now.x, y - now.y) < minDragPx) return
      if (!latest.current.onDragStart(now.id)) return stop()
      now.isDragged = true
      event.currentTarget.setPointerCapture(event.pointerId)
      frame.current = requestAnimationFrame(scrollAtEdge)
    }
    extend(x, y)
  }

  const end = () => {
    const now = press.current
    stop()
    if (!now) return
    if (now.kind !== 'bar') latest.current.onSelected()
    else if (now.isDragged) latest.current.onDrop()
  }

  const cancel = () => {
    if (press.current?.kind === 'bar' && press.current.isDragged) latest.current.onCancel()
    stop()
  }

  return {
    cellAt,
    cancel,
    handlers: { onPointerDown: start, onPointerMove: move, onPointerUp: end, onPointerCancel: cancel },
  }
}
