import { explainFullDisk } from './full-disk.ts'

/** One process from start to stop: says when it is ready, stops in order, and never outlives its parent. */
export async function live(start: () => Promise<{ facts: object; stop(): Promise<void> }>): Promise<void> {
  let running: { facts: object; stop(): Promise<void> }
  try {
    running = await start()
  } catch (error) {
    console.error((explainFullDisk(error) as Error).message)
    process.exitCode = 1
    // A part that is half open would keep the process alive for nothing.
    setTimeout(() => process.exit(1), 500).unref()
    return
  }
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    const late = setTimeout(() => process.exit(1), 9_000).unref()
    running.stop().then(
      () => {
        clearTimeout(late)
        if (process.connected) process.disconnect()
        process.exitCode = 0
        // The event loop empties by itself; a stray handle must not hold up a restart.
        setTimeout(() => process.exit(0), 500).unref()
      },
      (error: unknown) => {
        console.error((error as Error).message)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('disconnect', stop)
  process.send?.({ ready: true, ...running.facts })
}
