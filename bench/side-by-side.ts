/** The variants of one run. Each is measured in every round, so that other load of the machine affects all of them. */
export type Variants = Readonly<Record<string, () => Promise<unknown>>>

interface Options {
  rounds: number
  turnMs: number
  /** The number of concurrent calls. */
  concurrency: number
}

/** Prints a Markdown table; ratios are relative to the first variant. */
export async function compareVariants(variants: Variants, options: Options): Promise<void> {
  const turns = new Map(Object.keys(variants).map((name) => [name, [] as Turn[]]))
  for (const call of Object.values(variants))
    await measureTurn(call, { ...options, turnMs: options.turnMs / 2 })
  for (let round = 0; round < options.rounds; round++)
    for (const [name, call] of Object.entries(variants))
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
}

interface Turn {
  perSecond: number
  /** Processor time of this process for one call, microseconds. */
  cpuUs: number
}

async function measureTurn(call: () => Promise<unknown>, { turnMs, concurrency }: Options): Promise<Turn> {
  let calls = 0
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const caller = async () => {
    while (performance.now() - startedAt < turnMs) {
      await call()
      calls++
    }
  }
  await Promise.all(Array.from({ length: concurrency }, caller))
  const { user, system } = process.cpuUsage(cpu)
  return {
    perSecond: calls / ((performance.now() - startedAt) / 1_000),
    cpuUs: (user + system) / calls,
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
