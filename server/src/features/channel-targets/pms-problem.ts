import { PmsProblem } from '#errors.ts'
import type { PmsFailure } from '#outside/pms/pms-failure.ts'

/** What a caller is told when the PMS was asked for them and failed. */
export const asProblem = (failure: PmsFailure): PmsProblem =>
  new PmsProblem(failure.retryable ? 'pms-unavailable' : 'pms-refused', failure.message, {
    members: { error_code: failure.code, hint: hintFor(failure) },
    retryAfter: failure.retryAfter,
    cause: failure,
  })

const passing = new Set<string>(['network', 'timeout', 'pms_unavailable', 'rate_limited', 'circuit_open'])

/** The hints of failures that pass are about pushes, which are tried again by themselves; a question is not. */
export const hintFor = ({ code, hint }: PmsFailure): string =>
  passing.has(code)
    ? 'Ask again in a moment. If it stays so, check the base_url of the channel target, and whether the PMS works.'
    : hint
