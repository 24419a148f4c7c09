/** The running components of the product, and the order in which they are stopped. */

/** The API stops before the workers, and the database last, so that none runs without what it depends on. */
const shutdownOrder = [
  ['API'],
  ['worker', 'sync worker', 'payment worker', 'notification worker'],
  ['sandbox'],
  ['database'],
] as const

export interface Component {
  name: (typeof shutdownOrder)[number][number]
  stop: (timeoutMs: number) => Promise<void>
  timeoutMs: number
}

/** Thrown when the product is stopped while it is still starting. */
export class StartAborted extends Error {}

export function openComponents() {
  const running: Component[] = []
  let isStopping = false
  return {
    add: async (component: Component) => {
      if (!isStopping) return void running.push(component)
      await component.stop(component.timeoutMs)
      throw new StartAborted(`The ${component.name} started after the stop.`)
    },
    /** A forced call, while the first still waits, kills all components at once. */
    stopAll: async ({ isForced = false } = {}) => {
      isStopping = true
      if (isForced) return void (await Promise.all(running.map(({ stop }) => stop(0))))
      for (const names of shutdownOrder) {
        const group = running.filter(({ name }) => (names as readonly string[]).includes(name))
        await Promise.all(group.map(({ stop, timeoutMs }) => stop(timeoutMs)))
      }
    },
  }
}
