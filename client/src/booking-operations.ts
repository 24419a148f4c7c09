import type * as contract from './contract/types.gen.ts'
import { operation } from './operation.ts'

export const listBookings = operation<contract.GetBookingsData, contract.GetBookingsResponse>(
  'GET',
  '/api/v1/bookings',
)
export const exportBookings = operation<contract.GetBookingsCsvData, contract.GetBookingsCsvResponse>(
  'GET',
  '/api/v1/bookings.csv',
)
export const getBooking = operation<contract.GetBookingsByIdData, contract.GetBookingsByIdResponse>(
  'GET',
  '/api/v1/bookings/{id}',
)
export const createBooking = operation<contract.PostBookingsData, contract.PostBookingsResponse>(
  'POST',
  '/api/v1/bookings',
)
export const updateBooking = operation<contract.PatchBookingsByIdData, contract.PatchBookingsByIdResponse>(
  'PATCH',
  '/api/v1/bookings/{id}',
)
export const changeBookings = operation<contract.PostBookingsBulkData, contract.PostBookingsBulkResponse>(
  'POST',
  '/api/v1/bookings/bulk',
)
export const findAvailability = operation<contract.GetAvailabilityData, contract.GetAvailabilityResponse>(
  'GET',
  '/api/v1/availability',
)
export const createQuote = operation<contract.PostQuotesData, contract.PostQuotesResponse>(
  'POST',
  '/api/v1/quotes',
)
export const getQuote = operation<contract.GetQuotesByIdData, contract.GetQuotesByIdResponse>(
  'GET',
  '/api/v1/quotes/{id}',
)
export const listPaymentIntents = operation<
  contract.GetPaymentIntentsData,
  contract.GetPaymentIntentsResponse
>('GET', '/api/v1/payment-intents')
export const createRefund = operation<
  contract.PostPaymentIntentsByIdRefundsData,
  contract.PostPaymentIntentsByIdRefundsResponse
>('POST', '/api/v1/payment-intents/{id}/refunds')
export const listRefunds = operation<contract.GetRefundsData, contract.GetRefundsResponse>(
  'GET',
  '/api/v1/refunds',
)
export const listNotifications = operation<contract.GetNotificationsData, contract.GetNotificationsResponse>(
  'GET',
  '/api/v1/notifications',
)
export const previewBooking = operation<
  contract.PostBookingsByIdPreviewData,
  contract.PostBookingsByIdPreviewResponse
>('POST', '/api/v1/bookings/{id}/preview')
export const previewCancellation = operation<
  contract.GetBookingsByIdCancellationData,
  contract.GetBookingsByIdCancellationResponse
>('GET', '/api/v1/bookings/{id}/cancellation')
export const getTimeline = operation<
  contract.GetBookingsByIdTimelineData,
  contract.GetBookingsByIdTimelineResponse
>('GET', '/api/v1/bookings/{id}/timeline')
export const createPaymentIntent = operation<
  contract.PostPaymentIntentsData,
  contract.PostPaymentIntentsResponse
>('POST', '/api/v1/payment-intents')
export const resendNotification = operation<
  contract.PostNotificationsByIdResendData,
  contract.PostNotificationsByIdResendResponse
>('POST', '/api/v1/notifications/{id}/resend')
export const getPaymentTotals = operation<contract.GetPaymentTotalsData, contract.GetPaymentTotalsResponse>(
  'GET',
  '/api/v1/payment-totals',
)
