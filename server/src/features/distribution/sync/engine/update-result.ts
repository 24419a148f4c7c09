import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { UnitUpdate, UpdateResult } from '#integrations/pms/pms.ts'

/**
 * The result of a provider. Without a failure everything counts as accepted, so a provider that left something out, and did
 * not report it, has failed.
 */
export function checkResult(update: UnitUpdate, result: UpdateResult | undefined): UpdateResult {
  if (!result) return failedUpdate(incomplete('gave no result for this unit'))
  const { failure, contentAccepted, acceptedRooms, acceptedRates } = result
  const missing = update.rooms.length + update.rates.length - acceptedRooms.length - acceptedRates.length
  if (failure) return result
  if (missing > 0) return { ...result, failure: incomplete(`left out ${missing} values of this unit`) }
  if (contentAccepted || update.changedFields.length === 0) return result
  return { ...result, failure: incomplete('left out the content of this unit') }
}

/** @throws the error unless it is a PmsFailure */
export function failedUpdate(error: unknown): UpdateResult {
  if (!(error instanceof PmsFailure)) throw error
  return {
    contentAccepted: false,
    acceptedRooms: [],
    acceptedRates: [],
    exchanges: error.exchange ? [error.exchange] : [],
    failure: error,
  }
}

const incomplete = (what: string) =>
  new PmsFailure('internal', `The connection to the PMS ${what}.`, {
    hint: 'The push is retried automatically. If this goes on, it is a defect of Vacancy: report it.',
  })
