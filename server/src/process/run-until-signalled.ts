import { explainFullDisk } from './full-disk.ts'

/** A started process. `facts` are reported to the parent process and the log. */
export interface RunningProcess {
  readonly facts: object
  stop(): Promise<void>
}

/** Runs a process until it is signalled or its parent exits. Reports to the parent when it is ready, and stops in order. */
export async function runUntilSignalled(start: () => Promise<RunningProcess>): Promise<void> {
  let running: RunningProcess
  try {
    running = await start()
  } catch (error) {
    console.error((explainFullDisk(error) as Error).message)
    process.exitCode = 1
    // Connections that were opened before the failure would keep the process alive.
    setTimeout(() => process.exit(1), 500).unref()
    return
  }
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    const forcedExit = setTimeout(() => process.exit(1), 9_000).unref()
    running.stop().then(
      () => {
        clearTimeout(forcedExit)
        if (process.connected) process.disconnect()
        process.exitCode = 0
        // Normally the event loop empties now; a forgotten handle must not delay a restart.
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
