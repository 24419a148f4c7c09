import type * as contract from './contract/types.gen.ts'
import { operation } from './operation.ts'

export const readSession = operation<contract.ReadSessionData, contract.ReadSessionResponse>(
  'GET',
  '/api/v1/auth/session',
)
export const logout = operation<contract.LogoutData, contract.LogoutResponse>('POST', '/api/v1/auth/logout')
export const listSpaces = operation<contract.ListSpacesData, contract.ListSpacesResponse>(
  'GET',
  '/api/v1/spaces',
)
export const listUnits = operation<contract.ListUnitsData, contract.ListUnitsResponse>('GET', '/api/v1/units')
export const readUnit = operation<contract.ReadUnitData, contract.ReadUnitResponse>(
  'GET',
  '/api/v1/units/{id}',
)
export const updateUnit = operation<contract.UpdateUnitData, contract.UpdateUnitResponse>(
  'PATCH',
  '/api/v1/units/{id}',
)
export const listChannelListings = operation<
  contract.ListChannelListingsData,
  contract.ListChannelListingsResponse
>('GET', '/api/v1/channel-listings')
export const readChannelListing = operation<
  contract.ReadChannelListingData,
  contract.ReadChannelListingResponse
>('GET', '/api/v1/channel-listings/{id}')
export const listSyncStatuses = operation<contract.ListSyncStatusesData, contract.ListSyncStatusesResponse>(
  'GET',
  '/api/v1/sync/status',
)
export const readSyncStatus = operation<contract.ReadSyncStatusData, contract.ReadSyncStatusResponse>(
  'GET',
  '/api/v1/sync/status/{listingId}',
)
export const triggerSync = operation<contract.TriggerSyncData, contract.TriggerSyncResponse>(
  'POST',
  '/api/v1/sync/trigger',
)
export const listSyncAudit = operation<contract.ListSyncAuditData, contract.ListSyncAuditResponse>(
  'GET',
  '/api/v1/sync/audit',
)
export const streamSync = operation<contract.StreamSyncData, contract.StreamSyncResponse>(
  'GET',
  '/api/v1/sync/stream',
)
