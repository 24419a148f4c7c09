import type { Payments } from './payments.ts'

/** A provider whose library is loaded by the first call: most starts of a process do not wait for it. */
export function latePayments(load: () => Promise<Payments>): Payments {
  let loaded: Promise<Payments> | undefined
  const provider = () => (loaded ??= load())
  return {
    isConfigured: true,
    open: async (...asked) => (await provider()).open(...asked),
    find: async (...asked) => (await provider()).find(...asked),
    findOpened: async (...asked) => (await provider()).findOpened(...asked),
    cancel: async (...asked) => (await provider()).cancel(...asked),
    capture: async (...asked) => (await provider()).capture(...asked),
    refund: async (...asked) => (await provider()).refund(...asked),
    readNotice: async (...told) => (await provider()).readNotice(...told),
    reachable: async () => (await provider()).reachable(),
  }
}
