type Close = () => PromiseLike<void>

const closings: Close[] = []

/** Closes what several test files of this process share, after the last one of them. */
export const closeAtProcessEnd = (close: Close): void => void closings.push(close)

/** In reverse order: what was opened last may need what was opened before. */
export async function closeShared(): Promise<void> {
  for (const close of closings.splice(0).reverse()) await close()
}
