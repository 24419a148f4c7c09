import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

export interface ParsedMetrics {
  samples: Sample[]
  types: Map<string, string>
  helps: Map<string, string>
}

/** A strict parser of the text format 0.0.4. */
export function parseMetrics(text: string): ParsedMetrics {
  assert.ok(text.endsWith('\n'), 'the last line ends')
  const types = new Map<string, string>()
  const helps = new Map<string, string>()
  const samples: Sample[] = []
  const seen = new Set<string>()
  let family = ''
  for (const line of text.split('\n').filter(Boolean)) {
    const meta = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line)
    if (meta?.[1] === 'HELP') helps.set((family = meta[2]!), meta[3]!)
    else if (meta) {
      assert.equal(meta[2], family, `TYPE follows its HELP: ${line}`)
      assert.match(meta[3]!, /^(counter|gauge|histogram|summary)$/)
      assert.ok(!types.has(family), `${family} comes twice`)
      types.set(family, meta[3]!)
    } else {
      // The library writes `Nan` before the first measurement; Prometheus accepts it.
      const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (NaN|Nan|[+-]Inf|-?[\d.]+(?:e[+-]?\d+)?)$/.exec(line)
      assert.ok(found, `not a sample: ${line}`)
      const [, name, labelled = '', value] = found
      const suffixes = /histogram|summary/.test(types.get(family) ?? '') ? '(_bucket|_sum|_count)?' : ''
      assert.match(name!, new RegExp(`^${family}${suffixes}$`))
      assert.match(labelled, /^([a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(,|$))*$/)
      const pairs = [...labelled.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)]
      assert.ok(!seen.has(`${name}{${labelled}}`), `${line} comes twice`)
      seen.add(`${name}{${labelled}}`)
      samples.push({
        name: name!,
        labels: Object.fromEntries(pairs.map(([, key, text]) => [key!, text!])),
        value: Number(value === '+Inf' ? Infinity : value === '-Inf' ? -Infinity : value),
      })
    }
  }
  return { samples, types, helps }
}

export const valueOf = (
  { samples }: { samples: Sample[] },
  name: string,
  labels: Record<string, string> = {},
) =>
  samples
    .filter(
      (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
    )
    .reduce<number | undefined>((sum, { value }) => (sum ?? 0) + value, undefined)

/** The rules of `promtool check metrics` and the sums of histograms. Returns a sentence for each fault. */
export function faultsOf(scraped: ParsedMetrics): string[] {
  const { types, helps, samples } = scraped
  const faults = [...types].flatMap(([name, type]) => {
    const words = name.split('_')
    return [
      !helps.get(name)?.trim() && 'has no help',
      type === 'counter' && !name.endsWith('_total') && 'is a counter and does not end with _total',
      type !== 'counter' && name.endsWith('_total') && 'ends with _total and is no counter',
      !/histogram|summary/.test(type) && /_(bucket|count|sum)$/.test(name) && 'ends like a part of another',
      name.includes(':') && 'has a colon, which is for recorded rules',
      /[a-z][A-Z]/.test(name) && 'is in camelCase',
      words.some((word) => otherUnits.has(word)) && 'has a unit that is not a base unit, or abbreviated',
      words.some((word) => ['counter', 'gauge', 'histogram', 'summary'].includes(word)) && 'says its type',
    ].flatMap((fault) => (fault ? [`${name} ${fault}`] : []))
  })
  const labels = samples.flatMap(({ name, labels: given }) =>
    Object.keys(given).flatMap((label) => [
      ...(/[a-z][A-Z]/.test(label) ? [`${name}: the label ${label} is in camelCase`] : []),
      ...(label === 'le' && !name.endsWith('_bucket') ? [`${name} has a label le`] : []),
    ]),
  )
  return [...faults, ...new Set(labels), ...histogramFaults(scraped)]
}

const otherUnits = new Set(
  'milliseconds microseconds nanoseconds minutes hours days weeks kilobytes megabytes gigabytes bits percent s ms us ns sec b kb mb gb tb pb m h d'.split(
    ' ',
  ),
)

/** Each bucket contains the one before it, and the last one is the count. */
function histogramFaults({ types, samples }: ParsedMetrics): string[] {
  const faults: string[] = []
  for (const [family] of [...types].filter(([, type]) => type === 'histogram')) {
    const series = new Map<string, { buckets: [number, number][]; count?: number; sum?: number }>()
    for (const { name, labels, value } of samples.filter((one) => one.name.startsWith(`${family}_`))) {
      const { le, ...others } = labels
      const key = JSON.stringify(Object.entries(others).sort())
      const one = series.get(key) ?? { buckets: [] }
      series.set(key, one)
      if (name.endsWith('_bucket')) one.buckets.push([le === '+Inf' ? Infinity : Number(le), value])
      else if (name.endsWith('_count')) one.count = value
      else one.sum = value
    }
    for (const [key, { buckets, count, sum }] of series) {
      const counts = buckets.sort(([a], [b]) => a - b).map(([, value]) => value)
      const isRising = counts.every((value, at) => at === 0 || value >= counts[at - 1]!)
      const isWhole = buckets.at(-1)?.[0] === Infinity && counts.at(-1) === count && sum !== undefined
      if (!isRising || !isWhole) faults.push(`${family}${key} does not add up`)
      const least = buckets.reduce((total, [limit], at) => {
        const inside = counts[at]! - (counts[at - 1] ?? 0)
        return total + (at === 0 || limit === Infinity ? 0 : inside * buckets[at - 1]![0])
      }, 0)
      if (sum !== undefined && sum < least) faults.push(`${family}${key} has a sum that is too small`)
    }
  }
  return faults
}

/** Runs promtool where it is installed; the checks above always run. */
export const promtool: string | undefined = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'promtool'))
  .find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })

export async function askPromtool(
  args: string[],
  input = '',
): Promise<{ code: number | null; output: string }> {
  const child = spawn(promtool!, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}
