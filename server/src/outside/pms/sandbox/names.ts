import { PmsFailure } from '../pms-failure.ts'

export const checkIds = 'Check the external_id of the listing and the property_ref of the target.'

/** One segment of a path. Dots alone would lead to another place, however they are written. */
export function segment(name: string): string {
  if (name !== '.' && name !== '..') return encodeURIComponent(name)
  throw new PmsFailure('validation_rejected', `The PMS cannot have anything called ${name}.`, {
    hint: checkIds,
  })
}

export const placeOf = (externalId: string) => `/units/${segment(externalId)}`
