interface Options {
  /** Whether it works again; asked while nobody waits. */
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
const probeEveryMs = 1_000

/** Spares everybody the wait for what does not answer: a probe of its own looks whether it does again. */
export function openBreaker({ probe, onOpen, onClose }: Options): Breaker {
  let failures = 0
  let probing: NodeJS.Timeout | undefined
  const isOpen = () => probing !== undefined
  const look = () => {
    probing = setTimeout(() => {
      void probe().then((works) => {
        if (!isOpen()) return
        if (!works) return look()
        probing = undefined
        failures = 0
        onClose()
      })
    }, probeEveryMs).unref()
  }
  return {
    isOpen,
    succeeded() {
      if (!isOpen()) failures = 0
    },
    failed(error) {
      failures++
      if (isOpen() || failures < failuresToOpen) return
      look()
      onOpen(error)
    },
    stop() {
      clearTimeout(probing)
      probing = undefined
    },
  }
}
