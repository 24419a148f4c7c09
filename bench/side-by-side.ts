import { readFileSync } from 'node:fs'

/** The variants of one run. Each is measured in every round, so that other load of the machine affects all of them. */
export type Variants = Readonly<Record<string, () => Promise<unknown>>>

interface Options {
  rounds: number
  turnMs: number
  /** The number of concurrent calls. */
  concurrency: number
  /** Reads the processor time of those who answer, in microseconds; by default that of this process. */
  cpuUs?: () => number
}

/** Prints a Markdown table; ratios are relative to the first variant. Returns the calls per second of each. */
export async function compareVariants<Name extends string>(
  variants: Readonly<Record<Name, () => Promise<unknown>>>,
  options: Options,
): Promise<Record<Name, number>> {
  const turns = new Map(Object.keys(variants).map((name) => [name, [] as Turn[]]))
  for (const call of Object.values<() => Promise<unknown>>(variants))
    await measureTurn(call, { ...options, turnMs: options.turnMs / 2 })
  for (let round = 0; round < options.rounds; round++)
    for (const [name, call] of Object.entries<() => Promise<unknown>>(variants))
      turns.get(name)!.push(await measureTurn(call, options))
  const medians = [...turns].map(([name, results]) => ({
    name,
    perSecond: median(results.map(({ perSecond }) => perSecond)),
    cpuUs: median(results.map(({ cpuUs }) => cpuUs)),
  }))
  const [first] = medians
  console.log('| variant | per second | ratio | Node µs each | ratio |\n|---|--:|--:|--:|--:|')
  for (const { name, perSecond, cpuUs } of medians) {
    const ratios = [perSecond / first!.perSecond, cpuUs / first!.cpuUs].map((one) => one.toFixed(2))
    console.log(`| ${name} | ${Math.round(perSecond)} | ${ratios[0]} | ${Math.round(cpuUs)} | ${ratios[1]} |`)
  }
  return Object.fromEntries(medians.map(({ name, perSecond }) => [name, perSecond])) as Record<Name, number>
}

/** The processor time of a process, and of its ended children, in microseconds; Linux counts in hundredths of a second. */
export function processorUs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) * 10_000
}

const ownProcessorUs = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

interface Turn {
  perSecond: number
  /** Processor time for one call, microseconds. */
  cpuUs: number
}

async function measureTurn(
  call: () => Promise<unknown>,
  { turnMs, concurrency, cpuUs = ownProcessorUs }: Options,
): Promise<Turn> {
  let calls = 0
  const startedAt = performance.now()
  const cpuBefore = cpuUs()
  const caller = async () => {
    while (performance.now() - startedAt < turnMs) {
      await call()
      calls++
    }
  }
  await Promise.all(Array.from({ length: concurrency }, caller))
  return {
    perSecond: calls / ((performance.now() - startedAt) / 1_000),
    cpuUs: (cpuUs() - cpuBefore) / calls,
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
