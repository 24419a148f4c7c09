/** Does the work for each in order, four of them at any time. After a throw nothing more is begun. */
export async function fourAtATime<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  let thrown: { error: unknown } | undefined
  const hand = async () => {
    for (let next = waiting.next(); !next.done && !thrown; next = waiting.next()) {
      try {
        await work(next.value)
      } catch (error) {
        thrown ??= { error }
      }
    }
  }
  await Promise.all(items.slice(0, 4).map(hand))
  if (thrown) throw thrown.error
}
