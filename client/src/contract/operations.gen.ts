// This file is generated from openapi.json: run npm run generate -w client
import type * as contract from './types.gen.ts'
import type { Operation } from '../operation.ts'

/**
 * Read the caller
 *
 * Needs a valid token.
 */
export const getSession: Operation<contract.GetAuthSessionData, contract.GetAuthSessionResponse> = { method: 'GET', path: '/api/v1/auth/session' }

/**
 * The same as the session
 *
 * Needs a valid token.
 */
export const getSessionUser: Operation<contract.GetAuthMeData, contract.GetAuthMeResponse> = { method: 'GET', path: '/api/v1/auth/me' }

/**
 * Sign out: the token is no longer accepted
 *
 * Needs a valid token.
 */
export const endSession: Operation<contract.PostAuthLogoutData, contract.PostAuthLogoutResponse> = { method: 'POST', path: '/api/v1/auth/logout' }

/**
 * Read the rate limits, and what is left of them
 *
 * The sum of the costs of all requests must stay within the budget of the organization, and each operation has a
 * limit. Reading them takes nothing from the budget. Needs a valid token.
 */
export const getRateLimits: Operation<contract.GetRateLimitsData, contract.GetRateLimitsResponse> = { method: 'GET', path: '/api/v1/rate-limits' }

/**
 * List organizations
 *
 * Permission: `organizations:read`.
 */
export const listOrganizations: Operation<contract.GetOrganizationsData, contract.GetOrganizationsResponse> = { method: 'GET', path: '/api/v1/organizations' }

/**
 * Read one organization
 *
 * Permission: `organizations:read`.
 */
export const getOrganization: Operation<contract.GetOrganizationsByIdData, contract.GetOrganizationsByIdResponse> = { method: 'GET', path: '/api/v1/organizations/{id}' }

/**
 * List accounts
 *
 * Permission: `accounts:read`.
 */
export const listAccounts: Operation<contract.GetAccountsData, contract.GetAccountsResponse> = { method: 'GET', path: '/api/v1/accounts' }

/**
 * Read one account
 *
 * Permission: `accounts:read`.
 */
export const getAccount: Operation<contract.GetAccountsByIdData, contract.GetAccountsByIdResponse> = { method: 'GET', path: '/api/v1/accounts/{id}' }

/**
 * List members
 *
 * Permission: `members:read`.
 */
export const listMembers: Operation<contract.GetMembersData, contract.GetMembersResponse> = { method: 'GET', path: '/api/v1/members' }

/**
 * List spaces
 *
 * Permission: `spaces:read`.
 */
export const listSpaces: Operation<contract.GetSpacesData, contract.GetSpacesResponse> = { method: 'GET', path: '/api/v1/spaces' }

/**
 * Create a space
 *
 * Permission: `spaces:write`.
 */
export const createSpace: Operation<contract.PostSpacesData, contract.PostSpacesResponse> = { method: 'POST', path: '/api/v1/spaces' }

/**
 * Read one space
 *
 * Permission: `spaces:read`.
 */
export const getSpace: Operation<contract.GetSpacesByIdData, contract.GetSpacesByIdResponse> = { method: 'GET', path: '/api/v1/spaces/{id}' }

/**
 * Replace a space
 *
 * Permission: `spaces:write`.
 */
export const replaceSpace: Operation<contract.PutSpacesByIdData, contract.PutSpacesByIdResponse> = { method: 'PUT', path: '/api/v1/spaces/{id}' }

/**
 * Update a space
 *
 * Permission: `spaces:write`.
 */
export const updateSpace: Operation<contract.PatchSpacesByIdData, contract.PatchSpacesByIdResponse> = { method: 'PATCH', path: '/api/v1/spaces/{id}' }

/**
 * Delete a space
 *
 * Permission: `spaces:write`.
 */
export const deleteSpace: Operation<contract.DeleteSpacesByIdData, contract.DeleteSpacesByIdResponse> = { method: 'DELETE', path: '/api/v1/spaces/{id}' }

/**
 * List properties
 *
 * Permission: `spaces:read`.
 */
export const listProperties: Operation<contract.GetPropertiesData, contract.GetPropertiesResponse> = { method: 'GET', path: '/api/v1/properties' }

/**
 * Read one property
 *
 * Permission: `spaces:read`.
 */
export const getProperty: Operation<contract.GetPropertiesByIdData, contract.GetPropertiesByIdResponse> = { method: 'GET', path: '/api/v1/properties/{id}' }

/**
 * List units
 *
 * Permission: `units:read`.
 */
export const listUnits: Operation<contract.GetUnitsData, contract.GetUnitsResponse> = { method: 'GET', path: '/api/v1/units' }

/**
 * Create a unit
 *
 * Permission: `units:write`.
 */
export const createUnit: Operation<contract.PostUnitsData, contract.PostUnitsResponse> = { method: 'POST', path: '/api/v1/units' }

/**
 * Change parts of many units
 *
 * Each unit is changed by the rules of a single change. One that is refused stays as it is, with its problem in
 * `results`; the others change all the same. Permission: `units:write`.
 */
export const updateUnits: Operation<contract.PatchUnitsData, contract.PatchUnitsResponse> = { method: 'PATCH', path: '/api/v1/units' }

/**
 * Read one unit
 *
 * Permission: `units:read`.
 */
export const getUnit: Operation<contract.GetUnitsByIdData, contract.GetUnitsByIdResponse> = { method: 'GET', path: '/api/v1/units/{id}' }

/**
 * Replace a unit
 *
 * Permission: `units:write`.
 */
export const replaceUnit: Operation<contract.PutUnitsByIdData, contract.PutUnitsByIdResponse> = { method: 'PUT', path: '/api/v1/units/{id}' }

/**
 * Update a unit
 *
 * Permission: `units:write`.
 */
export const updateUnit: Operation<contract.PatchUnitsByIdData, contract.PatchUnitsByIdResponse> = { method: 'PATCH', path: '/api/v1/units/{id}' }

/**
 * Delete a unit
 *
 * Permission: `units:write`.
 */
export const deleteUnit: Operation<contract.DeleteUnitsByIdData, contract.DeleteUnitsByIdResponse> = { method: 'DELETE', path: '/api/v1/units/{id}' }

/**
 * List rate plans
 *
 * Permission: `units:read`.
 */
export const listRatePlans: Operation<contract.GetRatePlansData, contract.GetRatePlansResponse> = { method: 'GET', path: '/api/v1/rate-plans' }

/**
 * Create a rate plan
 *
 * Permission: `units:write`.
 */
export const createRatePlan: Operation<contract.PostRatePlansData, contract.PostRatePlansResponse> = { method: 'POST', path: '/api/v1/rate-plans' }

/**
 * Read one rate plan
 *
 * Permission: `units:read`.
 */
export const getRatePlan: Operation<contract.GetRatePlansByIdData, contract.GetRatePlansByIdResponse> = { method: 'GET', path: '/api/v1/rate-plans/{id}' }

/**
 * Replace a rate plan
 *
 * Permission: `units:write`.
 */
export const replaceRatePlan: Operation<contract.PutRatePlansByIdData, contract.PutRatePlansByIdResponse> = { method: 'PUT', path: '/api/v1/rate-plans/{id}' }

/**
 * Update a rate plan
 *
 * Permission: `units:write`.
 */
export const updateRatePlan: Operation<contract.PatchRatePlansByIdData, contract.PatchRatePlansByIdResponse> = { method: 'PATCH', path: '/api/v1/rate-plans/{id}' }

/**
 * Delete a rate plan
 *
 * Permission: `units:write`.
 */
export const deleteRatePlan: Operation<contract.DeleteRatePlansByIdData, contract.DeleteRatePlansByIdResponse> = { method: 'DELETE', path: '/api/v1/rate-plans/{id}' }

/**
 * List charges
 *
 * Permission: `units:read`.
 */
export const listCharges: Operation<contract.GetChargesData, contract.GetChargesResponse> = { method: 'GET', path: '/api/v1/charges' }

/**
 * Create a charge
 *
 * Permission: `units:write`.
 */
export const createCharge: Operation<contract.PostChargesData, contract.PostChargesResponse> = { method: 'POST', path: '/api/v1/charges' }

/**
 * Read one charge
 *
 * Permission: `units:read`.
 */
export const getCharge: Operation<contract.GetChargesByIdData, contract.GetChargesByIdResponse> = { method: 'GET', path: '/api/v1/charges/{id}' }

/**
 * Replace a charge
 *
 * Permission: `units:write`.
 */
export const replaceCharge: Operation<contract.PutChargesByIdData, contract.PutChargesByIdResponse> = { method: 'PUT', path: '/api/v1/charges/{id}' }

/**
 * Update a charge
 *
 * Permission: `units:write`.
 */
export const updateCharge: Operation<contract.PatchChargesByIdData, contract.PatchChargesByIdResponse> = { method: 'PATCH', path: '/api/v1/charges/{id}' }

/**
 * Delete a charge
 *
 * Permission: `units:write`.
 */
export const deleteCharge: Operation<contract.DeleteChargesByIdData, contract.DeleteChargesByIdResponse> = { method: 'DELETE', path: '/api/v1/charges/{id}' }

/**
 * Change nights of many units and plans
 *
 * One change: all values or none, one entry in the audit. Of two values for a night the later one applies. Past
 * nights (at the unit) are omitted. A price may be derived from the current one. With `dry_run` the response is
 * 200 with what would change. Permission: `units:write`.
 */
export const changeCalendar: Operation<contract.PostCalendarData, contract.PostCalendarResponse> = { method: 'POST', path: '/api/v1/calendar' }

/**
 * Read the calendar
 *
 * At most 100 units per page, 400 nights, and 20,000 nights of all units of a page. The `ETag` changes with
 * anything that is shown. Permission: `units:read`.
 */
export const listCalendar: Operation<contract.GetCalendarData, contract.GetCalendarResponse> = { method: 'GET', path: '/api/v1/calendar' }

/**
 * Copy nights to other units, or to another year
 *
 * One change: of the default plan of each unit. What is not decided for a copied night returns to the default.
 * With `years` the nights go to the same weekdays. Nights that are past where the unit is are left out; blocked
 * rooms are not copied. With `dry_run`, what would change is answered with 200. Permission: `units:write`.
 */
export const copyCalendar: Operation<contract.PostCalendarCopyData, contract.PostCalendarCopyResponse> = { method: 'POST', path: '/api/v1/calendar/copy' }

/**
 * Read the calendar of many units
 *
 * For more units than a URL can contain. At most 100 units per page, 400 nights, and 20,000 nights of all units
 * of a page. Permission: `units:read`.
 */
export const searchCalendar: Operation<contract.PostCalendarSearchData, contract.PostCalendarSearchResponse> = { method: 'POST', path: '/api/v1/calendar/search' }

/**
 * List calendar changes
 *
 * The changes of the last 90 days, the newest first. Filters by unit and night find changes that replaced a value
 * there. Permission: `units:read`.
 */
export const listCalendarChanges: Operation<contract.GetCalendarChangesData, contract.GetCalendarChangesResponse> = { method: 'GET', path: '/api/v1/calendar-changes' }

/**
 * Read one calendar change
 *
 * With the replaced values; nights with equal values before and after are one entry. Reasons of blocks are shown
 * to callers who may see contact data of guests. Permission: `units:read`.
 */
export const getCalendarChange: Operation<contract.GetCalendarChangesByIdData, contract.GetCalendarChangesByIdResponse> = { method: 'GET', path: '/api/v1/calendar-changes/{id}' }

/**
 * Revert a calendar change
 *
 * Restores what it replaced, as one new change. Nights that were changed since, and past nights, are skipped and
 * listed. A change is reverted once: a repeated request returns the first revert with 200. Permission:
 * `units:write`.
 */
export const revertCalendarChange: Operation<contract.PostCalendarChangesByIdRevertData, contract.PostCalendarChangesByIdRevertResponse> = { method: 'POST', path: '/api/v1/calendar-changes/{id}/revert' }

/**
 * List seasons
 *
 * Permission: `units:read`.
 */
export const listSeasons: Operation<contract.GetSeasonsData, contract.GetSeasonsResponse> = { method: 'GET', path: '/api/v1/seasons' }

/**
 * Create a season
 *
 * Permission: `units:write`.
 */
export const createSeason: Operation<contract.PostSeasonsData, contract.PostSeasonsResponse> = { method: 'POST', path: '/api/v1/seasons' }

/**
 * Read one season
 *
 * Permission: `units:read`.
 */
export const getSeason: Operation<contract.GetSeasonsByIdData, contract.GetSeasonsByIdResponse> = { method: 'GET', path: '/api/v1/seasons/{id}' }

/**
 * Replace a season
 *
 * Permission: `units:write`.
 */
export const replaceSeason: Operation<contract.PutSeasonsByIdData, contract.PutSeasonsByIdResponse> = { method: 'PUT', path: '/api/v1/seasons/{id}' }

/**
 * Delete a season
 *
 * Permission: `units:write`.
 */
export const deleteSeason: Operation<contract.DeleteSeasonsByIdData, contract.DeleteSeasonsByIdResponse> = { method: 'DELETE', path: '/api/v1/seasons/{id}' }

/**
 * Apply a season to units
 *
 * One change of the calendar, for the default plan of each unit. Past nights (at the unit) are omitted. With
 * `dry_run` the response is 200 with what would change. Permission: `units:write`.
 */
export const applySeason: Operation<contract.PostSeasonsByIdApplyData, contract.PostSeasonsByIdApplyResponse> = { method: 'POST', path: '/api/v1/seasons/{id}/apply' }

/**
 * List bookings
 *
 * Permission: `bookings:read`.
 */
export const listBookings: Operation<contract.GetBookingsData, contract.GetBookingsResponse> = { method: 'GET', path: '/api/v1/bookings' }

/**
 * Create a booking
 *
 * Permission: `bookings:write`.
 */
export const createBooking: Operation<contract.PostBookingsData, contract.PostBookingsResponse> = { method: 'POST', path: '/api/v1/bookings' }

/**
 * Read one booking
 *
 * Permission: `bookings:read`.
 */
export const getBooking: Operation<contract.GetBookingsByIdData, contract.GetBookingsByIdResponse> = { method: 'GET', path: '/api/v1/bookings/{id}' }

/**
 * Replace a booking
 *
 * Permission: `bookings:write`.
 */
export const replaceBooking: Operation<contract.PutBookingsByIdData, contract.PutBookingsByIdResponse> = { method: 'PUT', path: '/api/v1/bookings/{id}' }

/**
 * Update a booking
 *
 * Permission: `bookings:write`.
 */
export const updateBooking: Operation<contract.PatchBookingsByIdData, contract.PatchBookingsByIdResponse> = { method: 'PATCH', path: '/api/v1/bookings/{id}' }

/**
 * Delete a booking
 *
 * Permission: `bookings:write`.
 */
export const deleteBooking: Operation<contract.DeleteBookingsByIdData, contract.DeleteBookingsByIdResponse> = { method: 'DELETE', path: '/api/v1/bookings/{id}' }

/**
 * Confirm, cancel, check in or check out many bookings
 *
 * Each booking is changed by the rules of a single change. A refused booking stays unchanged, with its problem in
 * `results`; the others change. A booking that has the requested state already succeeds. Permission:
 * `bookings:write`.
 */
export const updateBookings: Operation<contract.PostBookingsBulkData, contract.PostBookingsBulkResponse> = { method: 'POST', path: '/api/v1/bookings/bulk' }

/**
 * Export bookings as CSV
 *
 * All bookings that match the filters of the list, with the names of their units and spaces. Amounts are in minor
 * units. The contact columns are omitted for callers without `guest_contacts:read` or `bookings:write`.
 * Permission: `bookings:read`.
 */
export const exportBookings: Operation<contract.GetBookingsCsvData, contract.GetBookingsCsvResponse> = { method: 'GET', path: '/api/v1/bookings.csv' }

/**
 * Check a change of the stay
 *
 * Answers with the price of the changed stay by the calendar, or refuses as the change itself would be refused.
 * Nothing is changed. Permission: `bookings:write`.
 */
export const previewBooking: Operation<contract.PostBookingsByIdPreviewData, contract.PostBookingsByIdPreviewResponse> = { method: 'POST', path: '/api/v1/bookings/{id}/preview' }

/**
 * What a cancellation would refund
 *
 * By the cancellation policy, if the booking was cancelled now. Nothing is changed. Permission: `bookings:write`.
 */
export const getBookingCancellation: Operation<contract.GetBookingsByIdCancellationData, contract.GetBookingsByIdCancellationResponse> = { method: 'GET', path: '/api/v1/bookings/{id}/cancellation' }

/**
 * Export the data of a guest
 *
 * For owners. The export is not stored; the audit records that it was requested. The lists of an unknown guest
 * are empty. Permission: `guests:read`.
 */
export const createGuestExport: Operation<contract.PostGuestExportsData, contract.PostGuestExportsResponse> = { method: 'POST', path: '/api/v1/guest-exports' }

/**
 * List guest erasures
 *
 * Permission: `guests:read`.
 */
export const listGuestErasures: Operation<contract.GetGuestErasuresData, contract.GetGuestErasuresResponse> = { method: 'GET', path: '/api/v1/guest-erasures' }

/**
 * Erase a guest
 *
 * For owners. A job erases the guest from all stored data, and later messages of a PMS about the same bookings
 * are applied without the guest. This cannot be undone. It does not reach the PMS, the payment provider and
 * partners; erase the guest there too. Permission: `guests:write`.
 */
export const createGuestErasure: Operation<contract.PostGuestErasuresData, contract.PostGuestErasuresResponse> = { method: 'POST', path: '/api/v1/guest-erasures' }

/**
 * Read one guest erasure
 *
 * Permission: `guests:read`.
 */
export const getGuestErasure: Operation<contract.GetGuestErasuresByIdData, contract.GetGuestErasuresByIdResponse> = { method: 'GET', path: '/api/v1/guest-erasures/{id}' }

/**
 * List payment intents
 *
 * Permission: `payments:read`.
 */
export const listPaymentIntents: Operation<contract.GetPaymentIntentsData, contract.GetPaymentIntentsResponse> = { method: 'GET', path: '/api/v1/payment-intents' }

/**
 * Create a payment intent
 *
 * A worker calls the provider; the response waits for it up to two seconds. If it takes longer, `client_secret`
 * and `provider_reference` are null until the payment is read again. An open payment for the same booking,
 * amount, currency and capture method is returned instead of a second one. A repeated Idempotency-Key returns the
 * payment as it is then. Permission: `payments:write`.
 */
export const createPaymentIntent: Operation<contract.PostPaymentIntentsData, contract.PostPaymentIntentsResponse> = { method: 'POST', path: '/api/v1/payment-intents' }

/**
 * Read one payment intent
 *
 * Permission: `payments:read`.
 */
export const getPaymentIntent: Operation<contract.GetPaymentIntentsByIdData, contract.GetPaymentIntentsByIdResponse> = { method: 'GET', path: '/api/v1/payment-intents/{id}' }

/**
 * Capture a payment
 *
 * A worker requests it from the provider; until the provider answers, `requested` is `capture`. Permission:
 * `payments:write`.
 */
export const capturePaymentIntent: Operation<contract.PostPaymentIntentsByIdCaptureData, contract.PostPaymentIntentsByIdCaptureResponse> = { method: 'POST', path: '/api/v1/payment-intents/{id}/capture' }

/**
 * Cancel a payment
 *
 * A worker requests it from the provider; until the provider answers, `requested` is `cancel`. Permission:
 * `payments:write`.
 */
export const cancelPaymentIntent: Operation<contract.PostPaymentIntentsByIdCancelData, contract.PostPaymentIntentsByIdCancelResponse> = { method: 'POST', path: '/api/v1/payment-intents/{id}/cancel' }

/**
 * Sums of all payments by currency
 *
 * Permission: `payments:read`.
 */
export const listPaymentTotals: Operation<contract.GetPaymentTotalsData, contract.GetPaymentTotalsResponse> = { method: 'GET', path: '/api/v1/payment-totals' }

/**
 * Create a refund
 *
 * A worker requests it from the provider: the refund is `pending` until the provider confirms it. Permission:
 * `payments:write`.
 */
export const createRefund: Operation<contract.PostPaymentIntentsByIdRefundsData, contract.PostPaymentIntentsByIdRefundsResponse> = { method: 'POST', path: '/api/v1/payment-intents/{id}/refunds' }

/**
 * List refunds
 *
 * Permission: `payments:read`.
 */
export const listRefunds: Operation<contract.GetRefundsData, contract.GetRefundsResponse> = { method: 'GET', path: '/api/v1/refunds' }

/**
 * Read one refund
 *
 * Permission: `payments:read`.
 */
export const getRefund: Operation<contract.GetRefundsByIdData, contract.GetRefundsByIdResponse> = { method: 'GET', path: '/api/v1/refunds/{id}' }

/**
 * List sales stops
 *
 * Permission: `sync:read`.
 */
export const listSalesStops: Operation<contract.GetSalesStopsData, contract.GetSalesStopsResponse> = { method: 'GET', path: '/api/v1/sales-stops' }

/**
 * Stop sales at once
 *
 * Permission: `sync:write`.
 */
export const createSalesStop: Operation<contract.PostSalesStopsData, contract.PostSalesStopsResponse> = { method: 'POST', path: '/api/v1/sales-stops' }

/**
 * Read one sales stop
 *
 * Permission: `sync:read`.
 */
export const getSalesStop: Operation<contract.GetSalesStopsByIdData, contract.GetSalesStopsByIdResponse> = { method: 'GET', path: '/api/v1/sales-stops/{id}' }

/**
 * Resume sales
 *
 * Permission: `sync:write`.
 */
export const deleteSalesStop: Operation<contract.DeleteSalesStopsByIdData, contract.DeleteSalesStopsByIdResponse> = { method: 'DELETE', path: '/api/v1/sales-stops/{id}' }

/**
 * What a stop would cover
 *
 * Takes the same members as a stop; without any of them everything is covered. Permission: `sync:read`.
 */
export const previewSalesStop: Operation<contract.GetSalesStopsPreviewData, contract.GetSalesStopsPreviewResponse> = { method: 'GET', path: '/api/v1/sales-stops/preview' }

/**
 * How far a stop has reached the channels
 *
 * After the stop is lifted, how far its end has reached them. Permission: `sync:read`.
 */
export const getSalesStopReach: Operation<contract.GetSalesStopsByIdReachData, contract.GetSalesStopsByIdReachResponse> = { method: 'GET', path: '/api/v1/sales-stops/{id}/reach' }

/**
 * Search available units
 *
 * Every unit of the organization that can be booked for the whole stay, with its price. A page may have fewer
 * than `limit` units while `has_more` is true, when many units do not match; the cursor continues after them.
 * Permission: `units:read`.
 */
export const listAvailability: Operation<contract.GetAvailabilityData, contract.GetAvailabilityResponse> = { method: 'GET', path: '/api/v1/availability' }

/**
 * List quotes
 *
 * Permission: `bookings:read`.
 */
export const listQuotes: Operation<contract.GetQuotesData, contract.GetQuotesResponse> = { method: 'GET', path: '/api/v1/quotes' }

/**
 * Create a quote
 *
 * Calculated from the calendar, with an explanation of every charge. A stay that cannot be sold is refused with
 * all reasons. Permission: `quotes:write`.
 */
export const createQuote: Operation<contract.PostQuotesData, contract.PostQuotesResponse> = { method: 'POST', path: '/api/v1/quotes' }

/**
 * Read one quote
 *
 * Permission: `bookings:read`.
 */
export const getQuote: Operation<contract.GetQuotesByIdData, contract.GetQuotesByIdResponse> = { method: 'GET', path: '/api/v1/quotes/{id}' }

/**
 * List channel targets
 *
 * Permission: `channel_targets:read`.
 */
export const listChannelTargets: Operation<contract.GetChannelTargetsData, contract.GetChannelTargetsResponse> = { method: 'GET', path: '/api/v1/channel-targets' }

/**
 * Create a channel target
 *
 * Permission: `channel_targets:write`.
 */
export const createChannelTarget: Operation<contract.PostChannelTargetsData, contract.PostChannelTargetsResponse> = { method: 'POST', path: '/api/v1/channel-targets' }

/**
 * Read one channel target
 *
 * Permission: `channel_targets:read`.
 */
export const getChannelTarget: Operation<contract.GetChannelTargetsByIdData, contract.GetChannelTargetsByIdResponse> = { method: 'GET', path: '/api/v1/channel-targets/{id}' }

/**
 * Replace a channel target
 *
 * Permission: `channel_targets:write`.
 */
export const replaceChannelTarget: Operation<contract.PutChannelTargetsByIdData, contract.PutChannelTargetsByIdResponse> = { method: 'PUT', path: '/api/v1/channel-targets/{id}' }

/**
 * Delete a channel target
 *
 * Permission: `channel_targets:write`.
 */
export const deleteChannelTarget: Operation<contract.DeleteChannelTargetsByIdData, contract.DeleteChannelTargetsByIdResponse> = { method: 'DELETE', path: '/api/v1/channel-targets/{id}' }

/**
 * Pause a channel target
 *
 * Nothing more is pushed; changes wait. Permission: `channel_targets:write`.
 */
export const pauseChannelTarget: Operation<contract.PostChannelTargetsByIdPauseData, contract.PostChannelTargetsByIdPauseResponse> = { method: 'POST', path: '/api/v1/channel-targets/{id}/pause' }

/**
 * Resume a channel target
 *
 * Sends waiting changes, and compares the PMS with the desired values. Permission: `channel_targets:write`.
 */
export const resumeChannelTarget: Operation<contract.DeleteChannelTargetsByIdPauseData, contract.DeleteChannelTargetsByIdPauseResponse> = { method: 'DELETE', path: '/api/v1/channel-targets/{id}/pause' }

/**
 * List channel listings
 *
 * Permission: `channel_listings:read`.
 */
export const listChannelListings: Operation<contract.GetChannelListingsData, contract.GetChannelListingsResponse> = { method: 'GET', path: '/api/v1/channel-listings' }

/**
 * Create a channel listing
 *
 * Permission: `channel_listings:write`.
 */
export const createChannelListing: Operation<contract.PostChannelListingsData, contract.PostChannelListingsResponse> = { method: 'POST', path: '/api/v1/channel-listings' }

/**
 * Read one channel listing
 *
 * Permission: `channel_listings:read`.
 */
export const getChannelListing: Operation<contract.GetChannelListingsByIdData, contract.GetChannelListingsByIdResponse> = { method: 'GET', path: '/api/v1/channel-listings/{id}' }

/**
 * Replace a channel listing
 *
 * Permission: `channel_listings:write`.
 */
export const replaceChannelListing: Operation<contract.PutChannelListingsByIdData, contract.PutChannelListingsByIdResponse> = { method: 'PUT', path: '/api/v1/channel-listings/{id}' }

/**
 * Delete a channel listing
 *
 * Permission: `channel_listings:write`.
 */
export const deleteChannelListing: Operation<contract.DeleteChannelListingsByIdData, contract.DeleteChannelListingsByIdResponse> = { method: 'DELETE', path: '/api/v1/channel-listings/{id}' }

/**
 * Pause a channel listing
 *
 * Nothing more is pushed; changes wait. Permission: `channel_listings:write`.
 */
export const pauseChannelListing: Operation<contract.PostChannelListingsByIdPauseData, contract.PostChannelListingsByIdPauseResponse> = { method: 'POST', path: '/api/v1/channel-listings/{id}/pause' }

/**
 * Resume a channel listing
 *
 * Sends waiting changes, and compares the PMS with the desired values. Permission: `channel_listings:write`.
 */
export const resumeChannelListing: Operation<contract.DeleteChannelListingsByIdPauseData, contract.DeleteChannelListingsByIdPauseResponse> = { method: 'DELETE', path: '/api/v1/channel-listings/{id}/pause' }

/**
 * Check a connection before it is created
 *
 * Calls the PMS with the configuration and counts its rooms. Nothing is stored. Permission:
 * `channel_targets:write`.
 */
export const checkChannelTarget: Operation<contract.PostChannelTargetsChecksData, contract.PostChannelTargetsChecksResponse> = { method: 'POST', path: '/api/v1/channel-targets/checks' }

/**
 * List the rooms at the PMS
 *
 * Calls the PMS now, within its rate limits. Permission: `channel_targets:read`.
 */
export const listChannelTargetOffers: Operation<contract.GetChannelTargetsByIdOffersData, contract.GetChannelTargetsByIdOffersResponse> = { method: 'GET', path: '/api/v1/channel-targets/{id}/offers' }

/**
 * Check a target and its listings
 *
 * Compares them with what the PMS shows now. Nothing is pushed. Permission: `channel_targets:read`.
 */
export const getChannelTargetPreflight: Operation<contract.GetChannelTargetsByIdPreflightData, contract.GetChannelTargetsByIdPreflightResponse> = { method: 'GET', path: '/api/v1/channel-targets/{id}/preflight' }

/**
 * Check a listing before it goes live
 *
 * Compares it with what the PMS shows now. Nothing is pushed. Permission: `channel_listings:read`.
 */
export const getChannelListingPreflight: Operation<contract.GetChannelListingsByIdPreflightData, contract.GetChannelListingsByIdPreflightResponse> = { method: 'GET', path: '/api/v1/channel-listings/{id}/preflight' }

/**
 * Compare desired, accepted and shown values
 *
 * Reads the PMS now. When it is not available, `differences` and `checked_at` are those of the last read-back,
 * and `error_message` has the reason. Permission: `sync:read`.
 */
export const getSyncProof: Operation<contract.GetSyncProofByListingIdData, contract.GetSyncProofByListingIdResponse> = { method: 'GET', path: '/api/v1/sync/proof/{listingId}' }

/**
 * Preview the next push
 *
 * Nothing is sent. With mode `full`, the values of a full push. Permission: `sync:read`.
 */
export const getSyncPreview: Operation<contract.GetSyncPreviewByListingIdData, contract.GetSyncPreviewByListingIdResponse> = { method: 'GET', path: '/api/v1/sync/preview/{listingId}' }

/**
 * Push one listing to the PMS now
 *
 * Resets waits and attempts. Mode `full` sends everything, otherwise the differences are sent. Without
 * differences the PMS is read back, and corrected if it shows something else. Permission: `sync:write`.
 */
export const triggerSync: Operation<contract.PostSyncTriggerData, contract.PostSyncTriggerResponse> = { method: 'POST', path: '/api/v1/sync/trigger' }

/**
 * The sync status of one listing
 *
 * Permission: `sync:read`.
 */
export const getSyncStatus: Operation<contract.GetSyncStatusByListingIdData, contract.GetSyncStatusByListingIdResponse> = { method: 'GET', path: '/api/v1/sync/status/{listingId}' }

/**
 * List sync statuses
 *
 * Permission: `sync:read`.
 */
export const listSyncStatuses: Operation<contract.GetSyncStatusData, contract.GetSyncStatusResponse> = { method: 'GET', path: '/api/v1/sync/status' }

/**
 * List audit
 *
 * Permission: `sync:read`.
 */
export const listSyncAudit: Operation<contract.GetSyncAuditData, contract.GetSyncAuditResponse> = { method: 'GET', path: '/api/v1/sync/audit' }

/**
 * Changes of sync states as they happen (server-sent events)
 *
 * Events `hello` once and `sync` with one sync status each; a comment every 15 s. Permission: `sync:read`.
 */
export const streamSync: Operation<contract.GetSyncStreamData, contract.GetSyncStreamResponse> = { method: 'GET', path: '/api/v1/sync/stream' }

/**
 * Retry failed listings
 *
 * One failed listing, those of a target, those with a cause, or all. Paused listings and inactive targets are
 * skipped. Permission: `sync:write`.
 */
export const retrySync: Operation<contract.PostSyncRetriesData, contract.PostSyncRetriesResponse> = { method: 'POST', path: '/api/v1/sync/retries' }

/**
 * Replay a listing or a target
 *
 * Sends content and all nights, whatever the PMS has. Permission: `sync:write`.
 */
export const replaySync: Operation<contract.PostSyncReplaysData, contract.PostSyncReplaysResponse> = { method: 'POST', path: '/api/v1/sync/replays' }

/**
 * Sync all listings of one property
 *
 * For owners and admins. Sends the differences, and reads the PMS back. Permission: `connectors:write`.
 */
export const triggerSyncProperty: Operation<contract.PostConnectorsPmsSyncData, contract.PostConnectorsPmsSyncResponse> = { method: 'POST', path: '/api/v1/connectors/pms/sync' }

/**
 * List sync targets
 *
 * Permission: `sync:read`.
 */
export const listSyncTargets: Operation<contract.GetSyncTargetsData, contract.GetSyncTargetsResponse> = { method: 'GET', path: '/api/v1/sync/targets' }

/**
 * The PMS of a target: availability, remaining calls, waiting changes
 *
 * Permission: `sync:read`.
 */
export const getSyncTarget: Operation<contract.GetSyncTargetsByTargetIdData, contract.GetSyncTargetsByTargetIdResponse> = { method: 'GET', path: '/api/v1/sync/targets/{targetId}' }

/**
 * Failing listings by cause
 *
 * Listings fail with one cause when the code, the target and the message are the same apart from names and
 * numbers. Paused listings and inactive targets are left out. Permission: `sync:read`.
 */
export const listSyncFailures: Operation<contract.GetSyncFailuresData, contract.GetSyncFailuresResponse> = { method: 'GET', path: '/api/v1/sync/failures' }

/**
 * The listings that fail with one cause
 *
 * Permission: `sync:read`.
 */
export const listSyncFailureListings: Operation<contract.GetSyncFailuresByIdListingsData, contract.GetSyncFailuresByIdListingsResponse> = { method: 'GET', path: '/api/v1/sync/failures/{id}/listings' }

/**
 * Retry all listings with one cause
 *
 * Listings that wait for another attempt are retried at once, too. Permission: `sync:write`.
 */
export const retrySyncFailure: Operation<contract.PostSyncFailuresByIdRetryData, contract.PostSyncFailuresByIdRetryResponse> = { method: 'POST', path: '/api/v1/sync/failures/{id}/retry' }

/**
 * List alerts
 *
 * Permission: `sync:read`.
 */
export const listAlerts: Operation<contract.GetAlertsData, contract.GetAlertsResponse> = { method: 'GET', path: '/api/v1/alerts' }

/**
 * Read one alert
 *
 * Permission: `sync:read`.
 */
export const getAlert: Operation<contract.GetAlertsByIdData, contract.GetAlertsByIdResponse> = { method: 'GET', path: '/api/v1/alerts/{id}' }

/**
 * Read occupancy, revenue and the state of the sync
 *
 * For owners and admins. Covers the last 30 nights by default, at most 731. `account_id`, `space_id` and
 * `unit_id` narrow all figures; those of messages only by account. Permission: `analytics:read`.
 */
export const getAnalytics: Operation<contract.GetAdminAnalyticsData, contract.GetAdminAnalyticsResponse> = { method: 'GET', path: '/api/v1/admin/analytics' }

/**
 * Read the tasks of today
 *
 * Arrivals, departures, current stays, unpaid stays, open conflicts and alerts, and failing listings by cause:
 * counts, and the first records of each. With `space_id`, only those of the units of these spaces. Permission:
 * `bookings:read`.
 */
export const getToday: Operation<contract.GetTodayData, contract.GetTodayResponse> = { method: 'GET', path: '/api/v1/today' }

/**
 * What happened to a booking
 *
 * Its quote, its changes, payments, refunds, notifications and the pushes that they caused. Parts that the caller
 * may not read are left out. Permission: `bookings:read`.
 */
export const listBookingTimeline: Operation<contract.GetBookingsByIdTimelineData, contract.GetBookingsByIdTimelineResponse> = { method: 'GET', path: '/api/v1/bookings/{id}/timeline' }

/**
 * Search units, spaces, bookings, guests and listings
 *
 * Finds records that contain every word, ignoring case and accents, and records whose id begins with the text
 * (eight characters or more). Records that begin with the text are first. Addresses and phone numbers of guests
 * are searched for callers who may see them. Permission: `spaces:read`.
 */
export const querySearch: Operation<contract.GetSearchData, contract.GetSearchResponse> = { method: 'GET', path: '/api/v1/search' }

/**
 * Who changed what
 *
 * Every change of a record that people set up, of bookings and of the calendar, with the values before and after.
 * Pushes are in `GET /api/v1/sync/audit`. Permission: `audit:read`.
 */
export const listAudit: Operation<contract.GetAuditData, contract.GetAuditResponse> = { method: 'GET', path: '/api/v1/audit' }

/**
 * Export the audit log as CSV
 *
 * All entries that match the filters of the list: one line for each changed field. Permission: `audit:read`.
 */
export const exportAudit: Operation<contract.GetAuditCsvData, contract.GetAuditCsvResponse> = { method: 'GET', path: '/api/v1/audit.csv' }

/**
 * List webhook messages
 *
 * Permission: `webhook_messages:read`.
 */
export const listWebhookMessages: Operation<contract.GetWebhookMessagesData, contract.GetWebhookMessagesResponse> = { method: 'GET', path: '/api/v1/webhook-messages' }

/**
 * Read one webhook message
 *
 * Permission: `webhook_messages:read`.
 */
export const getWebhookMessage: Operation<contract.GetWebhookMessagesByIdData, contract.GetWebhookMessagesByIdResponse> = { method: 'GET', path: '/api/v1/webhook-messages/{id}' }

/**
 * Process a webhook message again
 *
 * Has no effect when a newer revision was applied. Permission: `sync:write`.
 */
export const replayWebhookMessage: Operation<contract.PostWebhookMessagesByIdReplayData, contract.PostWebhookMessagesByIdReplayResponse> = { method: 'POST', path: '/api/v1/webhook-messages/{id}/replay' }

/**
 * List booking conflicts
 *
 * Permission: `bookings:read`.
 */
export const listBookingConflicts: Operation<contract.GetBookingConflictsData, contract.GetBookingConflictsResponse> = { method: 'GET', path: '/api/v1/booking-conflicts' }

/**
 * Read one booking conflict
 *
 * Permission: `bookings:read`.
 */
export const getBookingConflict: Operation<contract.GetBookingConflictsByIdData, contract.GetBookingConflictsByIdResponse> = { method: 'GET', path: '/api/v1/booking-conflicts/{id}' }

/**
 * Retry a booking of the PMS
 *
 * The response has the new status of the conflict. Permission: `bookings:write`.
 */
export const retryBookingConflict: Operation<contract.PostBookingConflictsByIdRetryData, contract.PostBookingConflictsByIdRetryResponse> = { method: 'POST', path: '/api/v1/booking-conflicts/{id}/retry' }

/**
 * Accept a booking of the PMS in another unit
 *
 * The booking takes a room of the unit that is named, and the conflict closes. Later changes of the PMS apply to
 * the booking as before; one that does not fit the room it was sold for is a new conflict, and the booking keeps
 * its unit. Permission: `bookings:write`.
 */
export const acceptBookingConflict: Operation<contract.PostBookingConflictsByIdAcceptanceData, contract.PostBookingConflictsByIdAcceptanceResponse> = { method: 'POST', path: '/api/v1/booking-conflicts/{id}/acceptance' }

/**
 * Dismiss a booking conflict
 *
 * The conflict reopens when the PMS changes the booking and it still does not fit. Permission: `bookings:write`.
 */
export const dismissBookingConflict: Operation<contract.PostBookingConflictsByIdDismissalData, contract.PostBookingConflictsByIdDismissalResponse> = { method: 'POST', path: '/api/v1/booking-conflicts/{id}/dismissal' }

/**
 * List notifications
 *
 * Permission: `notifications:read`.
 */
export const listNotifications: Operation<contract.GetNotificationsData, contract.GetNotificationsResponse> = { method: 'GET', path: '/api/v1/notifications' }

/**
 * Read one notification
 *
 * Permission: `notifications:read`.
 */
export const getNotification: Operation<contract.GetNotificationsByIdData, contract.GetNotificationsByIdResponse> = { method: 'GET', path: '/api/v1/notifications/{id}' }

/**
 * Send a test e-mail
 *
 * At most 10 per hour. Permission: `notifications:write`.
 */
export const sendNotificationTest: Operation<contract.PostTestSendEmailData, contract.PostTestSendEmailResponse> = { method: 'POST', path: '/api/v1/test/send-email' }

/**
 * Send a notification again
 *
 * A new notification with the same text, to the address that the guest has now. Rejected while the first one is
 * being sent, when the guest has none, and when its text was erased. Permission: `notifications:send`.
 */
export const resendNotification: Operation<contract.PostNotificationsByIdResendData, contract.PostNotificationsByIdResendResponse> = { method: 'POST', path: '/api/v1/notifications/{id}/resend' }

/**
 * Read the notification preferences
 *
 * Permission: `notifications:read`.
 */
export const getNotificationPreferences: Operation<contract.GetNotificationPreferencesData, contract.GetNotificationPreferencesResponse> = { method: 'GET', path: '/api/v1/notification-preferences' }

/**
 * Replace the notification preferences
 *
 * Notifications of failures that affect guests must reach somebody by e-mail or SMS. Permission:
 * `notifications:write`.
 */
export const replaceNotificationPreferences: Operation<contract.PutNotificationPreferencesData, contract.PutNotificationPreferencesResponse> = { method: 'PUT', path: '/api/v1/notification-preferences' }

/**
 * List notification templates
 *
 * Permission: `notifications:read`.
 */
export const listNotificationTemplates: Operation<contract.GetNotificationTemplatesData, contract.GetNotificationTemplatesResponse> = { method: 'GET', path: '/api/v1/notification-templates' }

/**
 * Preview a template with sample data
 *
 * Permission: `notifications:read`.
 */
export const previewNotificationTemplate: Operation<contract.GetNotificationTemplatesPreviewData, contract.GetNotificationTemplatesPreviewResponse> = { method: 'GET', path: '/api/v1/notification-templates/preview' }

/**
 * Read the event feed
 *
 * Oldest first, after a cursor. `next_cursor` is always set: store it when the events are processed, and continue
 * with it. No event is missed or repeated, also during concurrent writes. Permission: `events:read`.
 */
export const listEvents: Operation<contract.GetEventsData, contract.GetEventsResponse> = { method: 'GET', path: '/api/v1/events' }

/**
 * Read one event
 *
 * Permission: `events:read`.
 */
export const getEvent: Operation<contract.GetEventsByIdData, contract.GetEventsByIdResponse> = { method: 'GET', path: '/api/v1/events/{id}' }

/**
 * Changes of records as they happen (server-sent events)
 *
 * For screens that stay current. `hello` is sent once. `changes` has the ids of changed records by kind, as far
 * as the caller may read them: `{"booking":["<id>"],"rate_plan":null}`. Ids of `calendar` are those of units;
 * null stands for any record of the kind, as do more than 100 of them. `sync` has one sync status each. With
 * `Last-Event-ID` the stream continues after an interruption: missed changes are sent as `changes`, and `reset`
 * means that everything must be read again. A comment is sent every 15 s. Needs a valid token.
 */
export const streamEvents: Operation<contract.GetEventsStreamData, contract.GetEventsStreamResponse> = { method: 'GET', path: '/api/v1/events/stream' }

/**
 * List webhook endpoints
 *
 * Permission: `webhooks:read`.
 */
export const listWebhookEndpoints: Operation<contract.GetWebhookEndpointsData, contract.GetWebhookEndpointsResponse> = { method: 'GET', path: '/api/v1/webhook-endpoints' }

/**
 * Create a webhook endpoint
 *
 * Permission: `webhooks:write`.
 */
export const createWebhookEndpoint: Operation<contract.PostWebhookEndpointsData, contract.PostWebhookEndpointsResponse> = { method: 'POST', path: '/api/v1/webhook-endpoints' }

/**
 * Read one webhook endpoint
 *
 * Permission: `webhooks:read`.
 */
export const getWebhookEndpoint: Operation<contract.GetWebhookEndpointsByIdData, contract.GetWebhookEndpointsByIdResponse> = { method: 'GET', path: '/api/v1/webhook-endpoints/{id}' }

/**
 * Replace a webhook endpoint
 *
 * Permission: `webhooks:write`.
 */
export const replaceWebhookEndpoint: Operation<contract.PutWebhookEndpointsByIdData, contract.PutWebhookEndpointsByIdResponse> = { method: 'PUT', path: '/api/v1/webhook-endpoints/{id}' }

/**
 * Update a webhook endpoint
 *
 * Permission: `webhooks:write`.
 */
export const updateWebhookEndpoint: Operation<contract.PatchWebhookEndpointsByIdData, contract.PatchWebhookEndpointsByIdResponse> = { method: 'PATCH', path: '/api/v1/webhook-endpoints/{id}' }

/**
 * Delete a webhook endpoint
 *
 * Permission: `webhooks:write`.
 */
export const deleteWebhookEndpoint: Operation<contract.DeleteWebhookEndpointsByIdData, contract.DeleteWebhookEndpointsByIdResponse> = { method: 'DELETE', path: '/api/v1/webhook-endpoints/{id}' }

/**
 * Generate a new secret for a webhook endpoint
 *
 * Both secrets sign for a day, so that the receiver can change over without losing an event. Permission:
 * `webhooks:write`.
 */
export const rotateWebhookEndpointSecret: Operation<contract.PostWebhookEndpointsByIdSecretData, contract.PostWebhookEndpointsByIdSecretResponse> = { method: 'POST', path: '/api/v1/webhook-endpoints/{id}/secret' }

/**
 * List webhook deliveries
 *
 * Permission: `webhooks:read`.
 */
export const listWebhookDeliveries: Operation<contract.GetWebhookDeliveriesData, contract.GetWebhookDeliveriesResponse> = { method: 'GET', path: '/api/v1/webhook-deliveries' }

/**
 * List the deliveries of a webhook endpoint
 *
 * Permission: `webhooks:read`.
 */
export const listWebhookEndpointDeliveries: Operation<contract.GetWebhookEndpointsByIdDeliveriesData, contract.GetWebhookEndpointsByIdDeliveriesResponse> = { method: 'GET', path: '/api/v1/webhook-endpoints/{id}/deliveries' }

/**
 * Read one webhook delivery
 *
 * Permission: `webhooks:read`.
 */
export const getWebhookDelivery: Operation<contract.GetWebhookDeliveriesByIdData, contract.GetWebhookDeliveriesByIdResponse> = { method: 'GET', path: '/api/v1/webhook-deliveries/{id}' }

/**
 * Send a delivery again
 *
 * Sent at once with the same `webhook-id`, so that the receiver can detect the repetition. Permission:
 * `webhooks:write`.
 */
export const replayWebhookDelivery: Operation<contract.PostWebhookDeliveriesByIdReplayData, contract.PostWebhookDeliveriesByIdReplayResponse> = { method: 'POST', path: '/api/v1/webhook-deliveries/{id}/replay' }

/**
 * Send a test event to a webhook endpoint
 *
 * Sends an event of the type `webhook.test` to this endpoint only, whatever types it subscribes to. Permission:
 * `webhooks:write`.
 */
export const testWebhookEndpoint: Operation<contract.PostWebhookEndpointsByIdTestData, contract.PostWebhookEndpointsByIdTestResponse> = { method: 'POST', path: '/api/v1/webhook-endpoints/{id}/test' }

/**
 * Send the events of a period again
 *
 * Events of the types that the endpoint subscribes to now, including those that it never received. Permission:
 * `webhooks:write`.
 */
export const replayWebhookEndpoint: Operation<contract.PostWebhookEndpointsByIdReplayData, contract.PostWebhookEndpointsByIdReplayResponse> = { method: 'POST', path: '/api/v1/webhook-endpoints/{id}/replay' }

/**
 * List imports
 *
 * Permission: `channel_targets:read`.
 */
export const listImports: Operation<contract.GetImportsData, contract.GetImportsResponse> = { method: 'GET', path: '/api/v1/imports' }

/**
 * Plan an import from a PMS
 *
 * Reads the portfolio in the background. Then the items show what a run will create, match or skip. Permission:
 * `channel_targets:write`.
 */
export const createImport: Operation<contract.PostImportsData, contract.PostImportsResponse> = { method: 'POST', path: '/api/v1/imports' }

/**
 * Read one import
 *
 * Permission: `channel_targets:read`.
 */
export const getImport: Operation<contract.GetImportsByIdData, contract.GetImportsByIdResponse> = { method: 'GET', path: '/api/v1/imports/{id}' }

/**
 * List import items
 *
 * Permission: `channel_targets:read`.
 */
export const listImportItems: Operation<contract.GetImportsByIdItemsData, contract.GetImportsByIdItemsResponse> = { method: 'GET', path: '/api/v1/imports/{id}/items' }

/**
 * Run an import
 *
 * Makes what was planned, in the background; one that failed is continued. Listings are linked paused: nothing is
 * pushed before they are resumed. Permission: `channel_targets:write`.
 */
export const runImport: Operation<contract.PostImportsByIdRunData, contract.PostImportsByIdRunResponse> = { method: 'POST', path: '/api/v1/imports/{id}/run' }

/**
 * Cancel an import
 *
 * What it has made stays, and another import matches it. Permission: `channel_targets:write`.
 */
export const cancelImport: Operation<contract.PostImportsByIdCancelData, contract.PostImportsByIdCancelResponse> = { method: 'POST', path: '/api/v1/imports/{id}/cancel' }

/**
 * Go live with an import
 *
 * Resumes its paused listings in the background; `listings_paused` says how many are left. What will be pushed is
 * shown before by the preflight of the channel target and the preview of each listing. Permission:
 * `channel_targets:write`.
 */
export const liveImport: Operation<contract.PostImportsByIdLiveData, contract.PostImportsByIdLiveResponse> = { method: 'POST', path: '/api/v1/imports/{id}/live' }

/**
 * List exports
 *
 * Permission: `exports:read`.
 */
export const listExports: Operation<contract.GetExportsData, contract.GetExportsResponse> = { method: 'GET', path: '/api/v1/exports' }

/**
 * Export the organization
 *
 * For owners. A job writes all records, with all data of guests, and media into one file, which is kept for 7
 * days. Secrets are left out. Permission: `exports:write`.
 */
export const createExport: Operation<contract.PostExportsData, contract.PostExportsResponse> = { method: 'POST', path: '/api/v1/exports' }

/**
 * Read one export
 *
 * Permission: `exports:read`.
 */
export const getExport: Operation<contract.GetExportsByIdData, contract.GetExportsByIdResponse> = { method: 'GET', path: '/api/v1/exports/{id}' }

/**
 * Get an address to download an export
 *
 * Anyone with the address may download the file until it expires. Permission: `exports:write`.
 */
export const createExportDownload: Operation<contract.PostExportsByIdDownloadData, contract.PostExportsByIdDownloadResponse> = { method: 'POST', path: '/api/v1/exports/{id}/download' }

/**
 * Import units, rates or bookings from a file
 *
 * The body is a CSV file of at most 20 MiB, or a JSON file of at most 5 MiB, with at most 100,000 rows. The
 * columns are mapped by their names, and the rows are planned in the background: nothing is made before the
 * import is run. Permission: `imports:write`.
 */
export const createFileImport: Operation<contract.PostFileImportsData, contract.PostFileImportsResponse> = { method: 'POST', path: '/api/v1/file-imports' }

/**
 * List file imports
 *
 * Permission: `imports:read`.
 */
export const listFileImports: Operation<contract.GetFileImportsData, contract.GetFileImportsResponse> = { method: 'GET', path: '/api/v1/file-imports' }

/**
 * Read one file import
 *
 * Permission: `imports:read`.
 */
export const getFileImport: Operation<contract.GetFileImportsByIdData, contract.GetFileImportsByIdResponse> = { method: 'GET', path: '/api/v1/file-imports/{id}' }

/**
 * Change the columns of a file import
 *
 * The rows are planned again. An import that was run cannot be changed. Permission: `imports:write`.
 */
export const updateFileImport: Operation<contract.PatchFileImportsByIdData, contract.PatchFileImportsByIdResponse> = { method: 'PATCH', path: '/api/v1/file-imports/{id}' }

/**
 * List file import rows
 *
 * Permission: `imports:read`.
 */
export const listFileImportRows: Operation<contract.GetFileImportsByIdRowsData, contract.GetFileImportsByIdRowsResponse> = { method: 'GET', path: '/api/v1/file-imports/{id}/rows' }

/**
 * Run a file import
 *
 * Makes what was planned, in the background; rows with errors are left out. Rates of linked units are pushed, and
 * guests of bookings are not notified. Permission: `imports:write`.
 */
export const runFileImport: Operation<contract.PostFileImportsByIdRunData, contract.PostFileImportsByIdRunResponse> = { method: 'POST', path: '/api/v1/file-imports/{id}/run' }

/**
 * Cancel a file import
 *
 * What it has made stays. Permission: `imports:write`.
 */
export const cancelFileImport: Operation<contract.PostFileImportsByIdCancelData, contract.PostFileImportsByIdCancelResponse> = { method: 'POST', path: '/api/v1/file-imports/{id}/cancel' }

/**
 * Store a photo or document of a property
 *
 * At most 10 MiB and 50 million pixels (AVIF and GIF: 20 million). Photos are pushed to the PMS. Permission:
 * `media:write`.
 */
export const uploadMedia: Operation<contract.PostPropertiesByPropertyIdMediaData, contract.PostPropertiesByPropertyIdMediaResponse> = { method: 'POST', path: '/api/v1/properties/{property_id}/media' }

/**
 * List media
 *
 * Permission: `spaces:read`.
 */
export const listPropertyMedia: Operation<contract.GetPropertiesByPropertyIdMediaData, contract.GetPropertiesByPropertyIdMediaResponse> = { method: 'GET', path: '/api/v1/properties/{property_id}/media' }

/**
 * List media
 *
 * Permission: `spaces:read`.
 */
export const listMedia: Operation<contract.GetMediaData, contract.GetMediaResponse> = { method: 'GET', path: '/api/v1/media' }

/**
 * Read one media
 *
 * Permission: `spaces:read`.
 */
export const getMedia: Operation<contract.GetMediaByIdData, contract.GetMediaByIdResponse> = { method: 'GET', path: '/api/v1/media/{id}' }

/**
 * Update the position or description of a file
 *
 * Permission: `media:write`.
 */
export const updateMedia: Operation<contract.PatchMediaByIdData, contract.PatchMediaByIdResponse> = { method: 'PATCH', path: '/api/v1/media/{id}' }

/**
 * Delete a media
 *
 * Permission: `media:write`.
 */
export const deleteMedia: Operation<contract.DeleteMediaByIdData, contract.DeleteMediaByIdResponse> = { method: 'DELETE', path: '/api/v1/media/{id}' }

/**
 * List calendar feeds
 *
 * Permission: `units:read`.
 */
export const listCalendarFeeds: Operation<contract.GetCalendarFeedsData, contract.GetCalendarFeedsResponse> = { method: 'GET', path: '/api/v1/calendar-feeds' }

/**
 * Create a calendar feed
 *
 * Permission: `units:write`.
 */
export const createCalendarFeed: Operation<contract.PostCalendarFeedsData, contract.PostCalendarFeedsResponse> = { method: 'POST', path: '/api/v1/calendar-feeds' }

/**
 * Read one calendar feed
 *
 * Permission: `units:read`.
 */
export const getCalendarFeed: Operation<contract.GetCalendarFeedsByIdData, contract.GetCalendarFeedsByIdResponse> = { method: 'GET', path: '/api/v1/calendar-feeds/{id}' }

/**
 * Update a calendar feed
 *
 * Permission: `units:write`.
 */
export const updateCalendarFeed: Operation<contract.PatchCalendarFeedsByIdData, contract.PatchCalendarFeedsByIdResponse> = { method: 'PATCH', path: '/api/v1/calendar-feeds/{id}' }

/**
 * Delete a calendar feed
 *
 * Permission: `units:write`.
 */
export const deleteCalendarFeed: Operation<contract.DeleteCalendarFeedsByIdData, contract.DeleteCalendarFeedsByIdResponse> = { method: 'DELETE', path: '/api/v1/calendar-feeds/{id}' }

/**
 * Decide about nights that disappeared from an imported calendar
 *
 * For a feed with `held`: accept frees the nights at once, keep leaves them blocked until the calendar changes.
 * After keep, accept is still possible. Permission: `units:write`.
 */
export const decideCalendarFeed: Operation<contract.PostCalendarFeedsByIdDecisionData, contract.PostCalendarFeedsByIdDecisionResponse> = { method: 'POST', path: '/api/v1/calendar-feeds/{id}/decision' }

/**
 * Fetch an imported calendar now
 *
 * Permission: `units:write`.
 */
export const fetchCalendarFeed: Operation<contract.PostCalendarFeedsByIdFetchData, contract.PostCalendarFeedsByIdFetchResponse> = { method: 'POST', path: '/api/v1/calendar-feeds/{id}/fetch' }

/**
 * A stored file
 *
 * The `url` of a media or of a rendition. The content of an address never changes. Open to everyone.
 */
export const downloadMedia: Operation<contract.GetMediaByOrganizationByFileData, contract.GetMediaByOrganizationByFileResponse> = { method: 'GET', path: '/media/{organization}/{file}' }

/**
 * Download an export
 *
 * The address of a download. Open to everyone.
 */
export const downloadExport: Operation<contract.GetExportsByTokenTarData, contract.GetExportsByTokenTarResponse> = { method: 'GET', path: '/exports/{token}.tar' }

/**
 * Get the calendar of a unit (iCalendar)
 *
 * The nights without a free room, two years ahead, without data of guests. Open to everyone.
 */
export const downloadCalendarFeed: Operation<contract.GetCalendarsByTokenIcsData, contract.GetCalendarsByTokenIcsResponse> = { method: 'GET', path: '/calendars/{token}.ics' }

/**
 * The health of the service and its dependencies, at most 2 seconds old
 *
 * Open to everyone.
 */
export const getHealth: Operation<contract.GetHealthData, contract.GetHealthResponse> = { method: 'GET', path: '/health' }

/**
 * Check whether requests can be served; 503 while the database is unavailable
 *
 * Open to everyone.
 */
export const getHealthReadiness: Operation<contract.GetHealthReadyData, contract.GetHealthReadyResponse> = { method: 'GET', path: '/health/ready' }

/**
 * Metrics for Prometheus (text format 0.0.4)
 *
 * If METRICS_TOKEN is set, it must be sent as a bearer token. Open to everyone.
 */
export const getHealthMetrics: Operation<contract.GetMetricsData, contract.GetMetricsResponse> = { method: 'GET', path: '/metrics' }
