/** Waits, or throws the reason of the signal. A signal may outlive many waits, so that none leaves a listener with it. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      if (signal?.aborted) reject(signal.reason as Error)
      else resolve()
    }
    const timer = setTimeout(finish, signal?.aborted ? 0 : ms)
    signal?.addEventListener('abort', finish)
  })
