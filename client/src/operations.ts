import type * as contract from './contract/types.gen.ts'
import { operation } from './operation.ts'

export const getSession = operation<contract.GetAuthSessionData, contract.GetAuthSessionResponse>(
  'GET',
  '/api/v1/auth/session',
)
export const getCurrentUser = operation<contract.GetAuthMeData, contract.GetAuthMeResponse>(
  'GET',
  '/api/v1/auth/me',
)
export const endSession = operation<contract.PostAuthLogoutData, contract.PostAuthLogoutResponse>(
  'POST',
  '/api/v1/auth/logout',
)

export const listOrganizations = operation<contract.GetOrganizationsData, contract.GetOrganizationsResponse>(
  'GET',
  '/api/v1/organizations',
)
export const getOrganization = operation<
  contract.GetOrganizationsByIdData,
  contract.GetOrganizationsByIdResponse
>('GET', '/api/v1/organizations/{id}')
export const listAccounts = operation<contract.GetAccountsData, contract.GetAccountsResponse>(
  'GET',
  '/api/v1/accounts',
)
export const getAccount = operation<contract.GetAccountsByIdData, contract.GetAccountsByIdResponse>(
  'GET',
  '/api/v1/accounts/{id}',
)

export const listMembers = operation<contract.GetMembersData, contract.GetMembersResponse>(
  'GET',
  '/api/v1/members',
)

export const listSpaces = operation<contract.GetSpacesData, contract.GetSpacesResponse>(
  'GET',
  '/api/v1/spaces',
)
export const getSpace = operation<contract.GetSpacesByIdData, contract.GetSpacesByIdResponse>(
  'GET',
  '/api/v1/spaces/{id}',
)
export const createSpace = operation<contract.PostSpacesData, contract.PostSpacesResponse>(
  'POST',
  '/api/v1/spaces',
)
export const replaceSpace = operation<contract.PutSpacesByIdData, contract.PutSpacesByIdResponse>(
  'PUT',
  '/api/v1/spaces/{id}',
)
export const updateSpace = operation<contract.PatchSpacesByIdData, contract.PatchSpacesByIdResponse>(
  'PATCH',
  '/api/v1/spaces/{id}',
)
export const deleteSpace = operation<contract.DeleteSpacesByIdData, contract.DeleteSpacesByIdResponse>(
  'DELETE',
  '/api/v1/spaces/{id}',
)

export const listUnits = operation<contract.GetUnitsData, contract.GetUnitsResponse>('GET', '/api/v1/units')
export const getUnit = operation<contract.GetUnitsByIdData, contract.GetUnitsByIdResponse>(
  'GET',
  '/api/v1/units/{id}',
)
export const createUnit = operation<contract.PostUnitsData, contract.PostUnitsResponse>(
  'POST',
  '/api/v1/units',
)
export const replaceUnit = operation<contract.PutUnitsByIdData, contract.PutUnitsByIdResponse>(
  'PUT',
  '/api/v1/units/{id}',
)
export const updateUnit = operation<contract.PatchUnitsByIdData, contract.PatchUnitsByIdResponse>(
  'PATCH',
  '/api/v1/units/{id}',
)
export const updateUnits = operation<contract.PatchUnitsData, contract.PatchUnitsResponse>(
  'PATCH',
  '/api/v1/units',
)
export const deleteUnit = operation<contract.DeleteUnitsByIdData, contract.DeleteUnitsByIdResponse>(
  'DELETE',
  '/api/v1/units/{id}',
)

export const listChannelTargets = operation<
  contract.GetChannelTargetsData,
  contract.GetChannelTargetsResponse
>('GET', '/api/v1/channel-targets')
export const getChannelTarget = operation<
  contract.GetChannelTargetsByIdData,
  contract.GetChannelTargetsByIdResponse
>('GET', '/api/v1/channel-targets/{id}')
export const createChannelTarget = operation<
  contract.PostChannelTargetsData,
  contract.PostChannelTargetsResponse
>('POST', '/api/v1/channel-targets')
export const replaceChannelTarget = operation<
  contract.PutChannelTargetsByIdData,
  contract.PutChannelTargetsByIdResponse
>('PUT', '/api/v1/channel-targets/{id}')
export const deleteChannelTarget = operation<
  contract.DeleteChannelTargetsByIdData,
  contract.DeleteChannelTargetsByIdResponse
>('DELETE', '/api/v1/channel-targets/{id}')

export const listChannelListings = operation<
  contract.GetChannelListingsData,
  contract.GetChannelListingsResponse
>('GET', '/api/v1/channel-listings')
export const getChannelListing = operation<
  contract.GetChannelListingsByIdData,
  contract.GetChannelListingsByIdResponse
>('GET', '/api/v1/channel-listings/{id}')
export const createChannelListing = operation<
  contract.PostChannelListingsData,
  contract.PostChannelListingsResponse
>('POST', '/api/v1/channel-listings')
export const replaceChannelListing = operation<
  contract.PutChannelListingsByIdData,
  contract.PutChannelListingsByIdResponse
>('PUT', '/api/v1/channel-listings/{id}')
export const deleteChannelListing = operation<
  contract.DeleteChannelListingsByIdData,
  contract.DeleteChannelListingsByIdResponse
>('DELETE', '/api/v1/channel-listings/{id}')

export const listSyncStatuses = operation<contract.GetSyncStatusData, contract.GetSyncStatusResponse>(
  'GET',
  '/api/v1/sync/status',
)
export const getSyncStatus = operation<
  contract.GetSyncStatusByListingIdData,
  contract.GetSyncStatusByListingIdResponse
>('GET', '/api/v1/sync/status/{listingId}')
export const triggerSync = operation<contract.PostSyncTriggerData, contract.PostSyncTriggerResponse>(
  'POST',
  '/api/v1/sync/trigger',
)
export const listAuditEntries = operation<contract.GetSyncAuditData, contract.GetSyncAuditResponse>(
  'GET',
  '/api/v1/sync/audit',
)
export const streamSyncStatuses = operation<contract.GetSyncStreamData, contract.GetSyncStreamResponse>(
  'GET',
  '/api/v1/sync/stream',
)

export const getHealth = operation<contract.GetHealthData, contract.GetHealthResponse>('GET', '/health')
export const getReadiness = operation<contract.GetHealthReadyData, contract.GetHealthReadyResponse>(
  'GET',
  '/health/ready',
)

export const getCalendar = operation<contract.GetCalendarData, contract.GetCalendarResponse>(
  'GET',
  '/api/v1/calendar',
)
export const searchCalendar = operation<contract.PostCalendarSearchData, contract.PostCalendarSearchResponse>(
  'POST',
  '/api/v1/calendar/search',
)
export const changeCalendar = operation<contract.PostCalendarData, contract.PostCalendarResponse>(
  'POST',
  '/api/v1/calendar',
)
export const copyCalendar = operation<contract.PostCalendarCopyData, contract.PostCalendarCopyResponse>(
  'POST',
  '/api/v1/calendar/copy',
)
export const revertCalendarChange = operation<
  contract.PostCalendarChangesByIdRevertData,
  contract.PostCalendarChangesByIdRevertResponse
>('POST', '/api/v1/calendar-changes/{id}/revert')

export const listSeasons = operation<contract.GetSeasonsData, contract.GetSeasonsResponse>(
  'GET',
  '/api/v1/seasons',
)
export const createSeason = operation<contract.PostSeasonsData, contract.PostSeasonsResponse>(
  'POST',
  '/api/v1/seasons',
)
export const replaceSeason = operation<contract.PutSeasonsByIdData, contract.PutSeasonsByIdResponse>(
  'PUT',
  '/api/v1/seasons/{id}',
)
export const deleteSeason = operation<contract.DeleteSeasonsByIdData, contract.DeleteSeasonsByIdResponse>(
  'DELETE',
  '/api/v1/seasons/{id}',
)
export const applySeason = operation<
  contract.PostSeasonsByIdApplyData,
  contract.PostSeasonsByIdApplyResponse
>('POST', '/api/v1/seasons/{id}/apply')
export const listRatePlans = operation<contract.GetRatePlansData, contract.GetRatePlansResponse>(
  'GET',
  '/api/v1/rate-plans',
)

export const search = operation<contract.GetSearchData, contract.GetSearchResponse>('GET', '/api/v1/search')
export const getAnalytics = operation<contract.GetAdminAnalyticsData, contract.GetAdminAnalyticsResponse>(
  'GET',
  '/api/v1/admin/analytics',
)

export const getToday = operation<contract.GetTodayData, contract.GetTodayResponse>('GET', '/api/v1/today')
