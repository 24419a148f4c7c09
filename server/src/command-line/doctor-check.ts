import { errorMessage } from './command-context.ts'

/** One check of one system. `run` resolves with what it found, or rejects with the fault. */
export interface DoctorCheck {
  name: string
  advice: string
  run: () => Promise<string>
}

export interface Finding {
  name: string
  ok: boolean
  detail: string
  advice?: string
}

const timeoutMs = 15_000

/** Runs a check; one that does not end in time has failed. */
export async function runCheck({ name, advice, run }: DoctorCheck): Promise<Finding> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => timeout.reject(new Error(`no response within ${timeoutMs / 1000} s`)),
    timeoutMs,
  )
  try {
    return { name, ok: true, detail: await Promise.race([run(), timeout.promise]) }
  } catch (error) {
    return { name, ok: false, detail: errorMessage(error), advice }
  } finally {
    clearTimeout(timer)
  }
}
