import { readFileSync } from 'node:fs'

/** What a process holds in memory, in megabytes. */
export function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}

/** The steepness of the straight line that lies closest to the points, per unit of x. */
export function slopeOf(points: readonly { x: number; y: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))]
  const across = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0)
  return across === 0 ? 0 : points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / across
}
