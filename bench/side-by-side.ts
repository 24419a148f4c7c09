/** Rivals in one run: each gets its turn in every round, so that a busy machine slows them alike. */
export type Rivals = Readonly<Record<string, () => Promise<unknown>>>

interface Options {
  rounds: number
  turnMs: number
  /** Calls that are under way at the same time. */
  abreast: number
}

/** Prints a Markdown table; the first rival is the measure of the others. */
export async function sideBySide(rivals: Rivals, options: Options): Promise<void> {
  const turns = new Map(Object.keys(rivals).map((name) => [name, [] as Turn[]]))
  for (const call of Object.values(rivals)) await turn(call, { ...options, turnMs: options.turnMs / 2 })
  for (let round = 0; round < options.rounds; round++)
    for (const [name, call] of Object.entries(rivals)) turns.get(name)!.push(await turn(call, options))
  const medians = [...turns].map(([name, those]) => ({
    name,
    perSecond: median(those.map(({ perSecond }) => perSecond)),
    cpuUs: median(those.map(({ cpuUs }) => cpuUs)),
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

async function turn(call: () => Promise<unknown>, { turnMs, abreast }: Options): Promise<Turn> {
  let calls = 0
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const lane = async () => {
    while (performance.now() - startedAt < turnMs) {
      await call()
      calls++
    }
  }
  await Promise.all(Array.from({ length: abreast }, lane))
  const { user, system } = process.cpuUsage(cpu)
  return {
    perSecond: calls / ((performance.now() - startedAt) / 1_000),
    cpuUs: (user + system) / calls,
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
