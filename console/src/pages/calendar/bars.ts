import type { Stay, UnitNights } from './tile.ts'

/** A stay as a bar, and the line in which it lies when several overlap. */
export interface Bar extends Stay {
  lane: number
}

/** Nights that are taken out of sale, as one bar. */
export interface Block {
  from: number
  /** The last blocked night. */
  to: number
  reason: string | null
}

/** The bars of a unit in as few lanes as possible. */
export const layOutBars = (stays: Iterable<Stay>): Bar[] => {
  const laneEnds: number[] = []
  return [...stays]
    .toSorted((a, b) => a.from - b.from || a.to - b.to)
    .map((stay) => {
      const free = laneEnds.findIndex((end) => end <= stay.from)
      const lane = free < 0 ? laneEnds.length : free
      laneEnds[lane] = stay.to
      return { ...stay, lane }
    })
}

/** The runs of nights on which every room is blocked, for the same reason. */
export const blocksOf = (tiles: Iterable<[number, UnitNights]>): Block[] => {
  const blocks: Block[] = []
  for (const [start, { nights }] of tiles)
    for (const [index, { blocked, booked, available, reason }] of nights.entries()) {
      if (blocked === 0 || booked > 0 || available > 0) continue
      const day = start + index
      const last = blocks.at(-1)
      if (last && last.to === day - 1 && last.reason === reason) last.to = day
      else blocks.push({ from: day, to: day, reason })
    }
  return blocks
}
