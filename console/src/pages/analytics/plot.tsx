import { useEffect, useRef, useSyncExternalStore } from 'react'
import uPlot from 'uplot'

import 'uplot/dist/uPlot.min.css'

export interface Series {
  label: string
  values: readonly (number | null)[]
  /** The property of the style sheet with its colour. */
  color: '--accent' | '--busy' | '--ink-faint'
  shape: 'line' | 'dashes' | 'bars'
}

interface PlotProps {
  /** The first day of each point. */
  dates: readonly string[]
  series: readonly Series[]
  /** The least that the top of the plot stands for. */
  minTop: number
  label: string
  formatDate: (date: string) => string
  formatTick: (value: number) => string
  /** The point that is pointed at; the keyboard moves it too. */
  index: number | null
  /** That point in words. */
  valueText: string
  onIndex: (index: number | null) => void
}

const height = 222

/** Values over time, drawn on a canvas: a year of days in a millisecond. What it shows is also in a table beside it. */
export const Plot = (props: PlotProps) => {
  const { dates, series, minTop, label, formatDate, formatTick, index, valueText, onIndex } = props
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const isDark = useIsDark()

  useEffect(() => {
    const element = box.current
    if (!element) return
    const styles = getComputedStyle(element)
    const color = (name: string) => styles.getPropertyValue(name).trim()
    const seconds = dates.map((date) => Date.parse(date) / 1000)
    const step = ((seconds.at(-1) ?? 0) - (seconds[0] ?? 0)) / Math.max(1, seconds.length - 1) || 86_400
    const font = `12px ${styles.fontFamily}`
    const axis = { stroke: color('--ink-faint'), font, ticks: { show: false } }
    const drawn = new uPlot(
      {
        ...{ width: element.clientWidth, height, padding: [10, 12, 0, 0], legend: { show: false } },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
        tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'UTC'),
        scales: {
          x: { range: (_plot, min, max) => [min - step / 2, max + step / 2] },
          y: { range: (_plot, _min, max) => [0, Math.max(minTop, (max ?? 0) * 1.08)] },
        },
        axes: [
          {
            // Below the 0 of the other axis, which the first date would touch.
            ...{ ...axis, grid: { show: false }, size: 36, gap: 12, space: 90 },
            values: (_plot, at) =>
              at.map((second) => formatDate(new Date(second * 1000).toISOString().slice(0, 10))),
          },
          {
            ...{ ...axis, grid: { stroke: color('--line'), width: 1 }, size: 68, space: 44 },
            values: (_plot, values) => values.map(formatTick),
          },
        ],
        series: [{}, ...series.map((one) => looksOf(one, color(one.color), dates.length))],
        hooks: { setCursor: [({ cursor }) => onIndex(cursor.idx ?? null)] },
      },
      [seconds, ...series.map(({ values }) => [...values])],
      element,
    )
    plot.current = drawn
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      drawn.destroy()
    }
  }, [dates, series, minTop, formatDate, formatTick, onIndex, isDark])

  const moveTo = (next: number) => {
    const at = Math.min(Math.max(next, 0), dates.length - 1)
    const date = dates[at]
    if (date && plot.current)
      plot.current.setCursor({ left: plot.current.valToPos(Date.parse(date) / 1000, 'x'), top: 0 })
  }
  const last = dates.length - 1
  const moves: Record<string, number> = {
    ArrowLeft: (index ?? dates.length) - 1,
    ArrowRight: (index ?? -1) + 1,
    Home: 0,
    End: last,
  }
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(last, 0)}
      aria-valuenow={index ?? 0}
      aria-valuetext={valueText}
      onKeyDown={(event) => {
        const next = moves[event.key]
        if (next === undefined) return
        event.preventDefault()
        moveTo(next)
      }}
    />
  )
}

const bars = uPlot.paths.bars?.({ size: [0.66, 48] })

const looksOf = ({ label, shape }: Series, color: string, count: number): uPlot.Series => ({
  ...{ label, stroke: color, width: shape === 'bars' ? 0 : 2, points: { show: count < 3 } },
  ...(shape === 'dashes' && { dash: [5, 4] }),
  ...(shape === 'bars' && bars && { fill: color, paths: bars }),
})

const dark = matchMedia('(prefers-color-scheme: dark)')
const onScheme = (listener: () => void) => {
  dark.addEventListener('change', listener)
  return () => dark.removeEventListener('change', listener)
}
const useIsDark = () => useSyncExternalStore(onScheme, () => dark.matches)
