import type { PeriodicTask, TaskContext } from '#queue/periodic-task.ts'
import { events } from '#telemetry/log.ts'

/** Runs each task at its interval until the returned function is called. A task that still runs is not started again. */
export function startScheduler(context: TaskContext, tasks: readonly PeriodicTask[]): () => void {
  const controller = new AbortController()
  const running = new Set<PeriodicTask>()
  const start = async (task: PeriodicTask) => {
    if (running.has(task)) return
    running.add(task)
    try {
      await task.run(context, controller.signal)
    } catch (error) {
      events.queueError(error)
    } finally {
      running.delete(task)
    }
  }
  const timers = tasks.map((task) => setInterval(() => void start(task), task.intervalMs))
  return () => {
    controller.abort()
    timers.forEach(clearInterval)
  }
}
