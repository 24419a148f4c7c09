import type { CommandContext } from './command-context.ts'

/** Runs until Ctrl-C, or until nobody reads the output any more. */
export async function untilInterrupted(
  { out }: Pick<CommandContext, 'out'>,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, stop)
  out.once('error', stop)
  try {
    await work(stopping.signal)
  } finally {
    for (const signal of signals) process.off(signal, stop)
    out.off('error', stop)
  }
}
