const atOnce = 4

/** Runs a step for each record, a few at once; a step that can fail deals with its failure itself. */
export const forEachAtOnce = async <T>(records: readonly T[], step: (record: T) => Promise<void>) => {
  const rest = [...records]
  const work = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await step(next)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
