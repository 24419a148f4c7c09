import type * as contract from './contract/types.gen.ts'
import { operation } from './operation.ts'

export const findSession = operation<contract.GetAuthSessionData, contract.GetAuthSessionResponse>(
  'GET',
  '/api/v1/auth/session',
)
export const endSession = operation<contract.PostAuthLogoutData, contract.PostAuthLogoutResponse>(
  'POST',
  '/api/v1/auth/logout',
)

export const listSpaces = operation<contract.GetSpacesData, contract.GetSpacesResponse>(
  'GET',
  '/api/v1/spaces',
)

export const listUnits = operation<contract.GetUnitsData, contract.GetUnitsResponse>('GET', '/api/v1/units')
export const findUnit = operation<contract.GetUnitsByIdData, contract.GetUnitsByIdResponse>(
  'GET',
  '/api/v1/units/{id}',
)
export const changeUnit = operation<contract.PatchUnitsByIdData, contract.PatchUnitsByIdResponse>(
  'PATCH',
  '/api/v1/units/{id}',
)

export const listChannelListings = operation<
  contract.GetChannelListingsData,
  contract.GetChannelListingsResponse
>('GET', '/api/v1/channel-listings')
export const findChannelListing = operation<
  contract.GetChannelListingsByIdData,
  contract.GetChannelListingsByIdResponse
>('GET', '/api/v1/channel-listings/{id}')

export const listSyncStatuses = operation<contract.GetSyncStatusData, contract.GetSyncStatusResponse>(
  'GET',
  '/api/v1/sync/status',
)
export const findSyncStatus = operation<
  contract.GetSyncStatusByListingIdData,
  contract.GetSyncStatusByListingIdResponse
>('GET', '/api/v1/sync/status/{listingId}')
export const triggerSync = operation<contract.PostSyncTriggerData, contract.PostSyncTriggerResponse>(
  'POST',
  '/api/v1/sync/trigger',
)
export const listAudit = operation<contract.GetSyncAuditData, contract.GetSyncAuditResponse>(
  'GET',
  '/api/v1/sync/audit',
)
export const followSyncs = operation<contract.GetSyncStreamData, contract.GetSyncStreamResponse>(
  'GET',
  '/api/v1/sync/stream',
)
