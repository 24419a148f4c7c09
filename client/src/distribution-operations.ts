import type * as contract from './contract/types.gen.ts'
import { operation } from './operation.ts'

export const listBookingConflicts = operation<
  contract.GetBookingConflictsData,
  contract.GetBookingConflictsResponse
>('GET', '/api/v1/booking-conflicts')
export const retryBookingConflict = operation<
  contract.PostBookingConflictsByIdRetryData,
  contract.PostBookingConflictsByIdRetryResponse
>('POST', '/api/v1/booking-conflicts/{id}/retry')
export const acceptBookingConflict = operation<
  contract.PostBookingConflictsByIdAcceptanceData,
  contract.PostBookingConflictsByIdAcceptanceResponse
>('POST', '/api/v1/booking-conflicts/{id}/acceptance')
export const dismissBookingConflict = operation<
  contract.PostBookingConflictsByIdDismissalData,
  contract.PostBookingConflictsByIdDismissalResponse
>('POST', '/api/v1/booking-conflicts/{id}/dismissal')
export const decideHeldNights = operation<
  contract.PostCalendarFeedsByIdDecisionData,
  contract.PostCalendarFeedsByIdDecisionResponse
>('POST', '/api/v1/calendar-feeds/{id}/decision')

export const listAlerts = operation<contract.GetAlertsData, contract.GetAlertsResponse>(
  'GET',
  '/api/v1/alerts',
)
export const listSyncFailures = operation<contract.GetSyncFailuresData, contract.GetSyncFailuresResponse>(
  'GET',
  '/api/v1/sync/failures',
)
export const listFailingListings = operation<
  contract.GetSyncFailuresByIdListingsData,
  contract.GetSyncFailuresByIdListingsResponse
>('GET', '/api/v1/sync/failures/{id}/listings')
export const retrySyncFailure = operation<
  contract.PostSyncFailuresByIdRetryData,
  contract.PostSyncFailuresByIdRetryResponse
>('POST', '/api/v1/sync/failures/{id}/retry')

export const listSalesStops = operation<contract.GetSalesStopsData, contract.GetSalesStopsResponse>(
  'GET',
  '/api/v1/sales-stops',
)
export const stopSales = operation<contract.PostSalesStopsData, contract.PostSalesStopsResponse>(
  'POST',
  '/api/v1/sales-stops',
)
export const resumeSales = operation<
  contract.DeleteSalesStopsByIdData,
  contract.DeleteSalesStopsByIdResponse
>('DELETE', '/api/v1/sales-stops/{id}')
export const previewSalesStop = operation<
  contract.GetSalesStopsPreviewData,
  contract.GetSalesStopsPreviewResponse
>('GET', '/api/v1/sales-stops/preview')
export const getSalesStopReach = operation<
  contract.GetSalesStopsByIdReachData,
  contract.GetSalesStopsByIdReachResponse
>('GET', '/api/v1/sales-stops/{id}/reach')
export const streamChanges = operation<contract.GetEventsStreamData, contract.GetEventsStreamResponse>(
  'GET',
  '/api/v1/events/stream',
)
