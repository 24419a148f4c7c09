/** Does the work for each in order, four of them at any time. After a throw nothing more is begun. */
export async function fourAtATime<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  let isOver = false
  const hand = async () => {
    for (let next = waiting.next(); !next.done && !isOver; next = waiting.next())
      await work(next.value).catch((error: unknown) => {
        isOver = true
        throw error
      })
  }
  const ends = await Promise.allSettled([hand(), hand(), hand(), hand()])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
