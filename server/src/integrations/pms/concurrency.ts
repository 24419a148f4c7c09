const maxConcurrency = 4

/**
 * Calls `work` for each item in order, four at a time. After the first error nothing new is started; it is thrown when
 * everything that was running has ended, so that no work goes on behind the caller's back.
 */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  let failure: { error: unknown } | undefined
  const runWorker = async () => {
    for (let next = queue.next(); !next.done && !failure; next = queue.next()) {
      try {
        await work(next.value)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(maxConcurrency, items.length) }, runWorker))
  if (failure) throw failure.error
}
