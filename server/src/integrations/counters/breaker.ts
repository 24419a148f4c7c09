interface Options {
  /** Whether the store works again. Called in the background. */
  probe: () => Promise<boolean>
  onOpen: (error: unknown) => void
  onClose: () => void
}

export interface Breaker {
  isOpen(): boolean
  succeeded(): void
  failed(error: unknown): void
  stop(): void
}

const failuresToOpen = 5
const probeIntervalMs = 1_000

/** A circuit breaker: opens after several failures in a row, and closes when a probe succeeds. */
export function openBreaker({ probe, onOpen, onClose }: Options): Breaker {
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  const isOpen = () => timer !== undefined
  const scheduleProbe = () => {
    timer = setTimeout(() => {
      void probe().then((works) => {
        if (!isOpen()) return
        if (!works) return scheduleProbe()
        timer = undefined
        failures = 0
        onClose()
      })
    }, probeIntervalMs).unref()
  }
  return {
    isOpen,
    succeeded() {
      if (!isOpen()) failures = 0
    },
    failed(error) {
      failures++
      if (isOpen() || failures < failuresToOpen) return
      scheduleProbe()
      onOpen(error)
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
