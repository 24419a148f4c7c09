import { todayIn } from '../data/dates.ts'

/** Adjacent nights with equal values. `values` has a number for each column; bit `n` of `set` is 1 if column `n` is set. */
export type Run = { from: number; to: number; set: number; values: Int32Array }

export type Nights = ReturnType<typeof openNights>

/** A table of whole numbers with a row for each night: a year of one plan takes about 12 KiB. */
export function openNights(columns: number) {
  const width = columns + 1
  let first = 0
  let cells = new Int32Array(0)

  return {
    /** Sets values on each of these nights; undefined leaves a value as it is. */
    set(from: number, to: number, values: readonly (number | undefined)[]) {
      growTo(from, to)
      let set = 0
      for (let column = 0; column < columns; column += 1) if (values[column] !== undefined) set |= 1 << column
      const end = (to + 1 - first) * width
      for (let row = (from - first) * width; row < end; row += width) {
        cells[row] = (cells[row] as number) | set
        for (let column = 0; column < columns; column += 1) {
          const value = values[column]
          if (value !== undefined) cells[row + column + 1] = value
        }
      }
    },

    /** Runs of equal nights. Nights without a value are left out. */
    *runs(from: number, to: number): Generator<Run> {
      const last = Math.min(to, first + cells.length / width - 1)
      for (let day = Math.max(from, first); day <= last;) {
        let next = day + 1
        while (next <= last && isSame(day, next)) next += 1
        const row = (day - first) * width
        const set = cells[row] as number
        if (set) yield { from: day, to: next - 1, set, values: cells.subarray(row + 1, row + width) }
        day = next
      }
    },
  }

  function isSame(day: number, other: number) {
    const row = (day - first) * width
    const otherRow = (other - first) * width
    for (let cell = 0; cell < width; cell += 1) if (cells[row + cell] !== cells[otherRow + cell]) return false
    return true
  }

  /** Grows by a month at a time, and then drops the nights before yesterday. */
  function growTo(from: number, to: number) {
    const end = first + cells.length / width
    if (from >= first && to < end) return
    const isEmpty = cells.length === 0
    const start = Math.min(from, isEmpty ? from : Math.max(first, Math.min(end, oldestNight())))
    const grown = new Int32Array((Math.max(to + 32, isEmpty ? 0 : end) - start) * width)
    if (start >= first) grown.set(cells.subarray((start - first) * width))
    else grown.set(cells, (first - start) * width)
    first = start
    cells = grown
  }
}

/** The night before yesterday in UTC, which is past in every time zone. */
function oldestNight() {
  return todayIn(null, Date.now()) - 2
}
