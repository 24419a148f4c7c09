import { todayIn } from '../dates.ts'

/** Neighbouring nights of which the same was told. `values` has a number for each column; bit `n` of `told` says
 * whether column `n` was ever told. */
export type Run = { from: number; to: number; told: number; values: Int32Array }

export type Nights = ReturnType<typeof openNights>

/** A table of whole numbers with a row for each night: a year of one plan takes about 12 KiB. */
export function openNights(columns: number) {
  const width = columns + 1
  let first = 0
  let cells = new Int32Array(0)

  return {
    /** Puts what is given on each of these nights; what is undefined stays. */
    set(from: number, to: number, values: readonly (number | undefined)[]) {
      makeRoom(from, to)
      let told = 0
      for (let column = 0; column < columns; column += 1)
        if (values[column] !== undefined) told |= 1 << column
      const end = (to + 1 - first) * width
      for (let row = (from - first) * width; row < end; row += width) {
        cells[row] = (cells[row] as number) | told
        for (let column = 0; column < columns; column += 1) {
          const value = values[column]
          if (value !== undefined) cells[row + column + 1] = value
        }
      }
    },

    /** Equal neighbours joined; nights that were never told are left out. */
    *runs(from: number, to: number): Generator<Run> {
      const last = Math.min(to, first + cells.length / width - 1)
      for (let day = Math.max(from, first); day <= last;) {
        let next = day + 1
        while (next <= last && isSame(day, next)) next += 1
        const row = (day - first) * width
        const told = cells[row] as number
        if (told) yield { from: day, to: next - 1, told, values: cells.subarray(row + 1, row + width) }
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

  /** Grows by months at a time, and forgets the nights before yesterday when it does. */
  function makeRoom(from: number, to: number) {
    const end = first + cells.length / width
    if (from >= first && to < end) return
    const isEmpty = cells.length === 0
    const start = Math.min(from, isEmpty ? from : Math.max(first, Math.min(end, oldestKept())))
    const grown = new Int32Array((Math.max(to + 32, isEmpty ? 0 : end) - start) * width)
    if (start >= first) grown.set(cells.subarray((start - first) * width))
    else grown.set(cells, (first - start) * width)
    first = start
    cells = grown
  }
}

/** The night before yesterday in UTC: nowhere on earth is it still to come. */
function oldestKept() {
  return todayIn(null, Date.now()) - 2
}
