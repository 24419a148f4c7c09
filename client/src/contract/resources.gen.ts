// This file is generated from openapi.json: run npm run generate -w client
import type * as contract from './types.gen.ts'
import type { Client, RequestOptions, StreamOptions } from '../connect.ts'
import * as operations from './operations.gen.ts'
import { Resource } from '../resource.ts'
import type { Query } from '../resource.ts'

class SessionResource extends Resource {
  /**
   * Read the caller
   *
   * Needs a valid token.
   */
  get(options: RequestOptions = {}) {
    return this.request(operations.getSession, { ...options })
  }

  /**
   * The same as the session
   *
   * Needs a valid token.
   */
  getUser(options: RequestOptions = {}) {
    return this.request(operations.getSessionUser, { ...options })
  }

  /**
   * Sign out: the token is no longer accepted
   *
   * Needs a valid token.
   */
  end(options: RequestOptions = {}) {
    return this.request(operations.endSession, { ...options })
  }
}

class RateLimitsResource extends Resource {
  /**
   * Read the rate limits, and what is left of them
   *
   * The sum of the costs of all requests must stay within the budget of the organization, and each operation has a
   * limit. Reading them takes nothing from the budget. Needs a valid token.
   */
  get(options: RequestOptions = {}) {
    return this.requestRecord(operations.getRateLimits, 'rate_limits', { ...options })
  }
}

class OrganizationsResource extends Resource {
  /**
   * List organizations
   *
   * Permission: `organizations:read`.
   */
  list(query: Query<contract.GetOrganizationsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listOrganizations, 'organizations', { ...options, query })
  }

  /**
   * Read one organization
   *
   * Permission: `organizations:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getOrganization, 'organization', { ...options, path: { id } })
  }
}

class AccountsResource extends Resource {
  /**
   * List accounts
   *
   * Permission: `accounts:read`.
   */
  list(query: Query<contract.GetAccountsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listAccounts, 'accounts', { ...options, query })
  }

  /**
   * Read one account
   *
   * Permission: `accounts:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getAccount, 'account', { ...options, path: { id } })
  }
}

class MembersResource extends Resource {
  /**
   * List members
   *
   * Permission: `members:read`.
   */
  list(query: Query<contract.GetMembersData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listMembers, 'members', { ...options, query })
  }
}

class SpacesResource extends Resource {
  /**
   * List spaces
   *
   * Permission: `spaces:read`.
   */
  list(query: Query<contract.GetSpacesData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listSpaces, 'spaces', { ...options, query })
  }

  /**
   * Create a space
   *
   * Permission: `spaces:write`.
   */
  create(body: contract.PostSpacesData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createSpace, 'space', { ...options, body })
  }

  /**
   * Read one space
   *
   * Permission: `spaces:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getSpace, 'space', { ...options, path: { id } })
  }

  /**
   * Replace a space
   *
   * Permission: `spaces:write`.
   */
  replace(id: string, body: contract.PutSpacesByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.replaceSpace, 'space', { ...options, path: { id }, body })
  }

  /**
   * Update a space
   *
   * Permission: `spaces:write`.
   */
  update(id: string, body: contract.PatchSpacesByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.updateSpace, 'space', { ...options, path: { id }, body })
  }

  /**
   * Delete a space
   *
   * Permission: `spaces:write`.
   */
  delete(id: string, options: RequestOptions = {}) {
    return this.request(operations.deleteSpace, { ...options, path: { id } })
  }
}

class PropertiesResource extends Resource {
  /**
   * List properties
   *
   * Permission: `spaces:read`.
   */
  list(query: Query<contract.GetPropertiesData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listProperties, 'properties', { ...options, query })
  }

  /**
   * Read one property
   *
   * Permission: `spaces:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getProperty, 'property', { ...options, path: { id } })
  }

  /**
   * List media
   *
   * Permission: `spaces:read`.
   */
  listMedia(propertyId: string, query: Query<contract.GetPropertiesByPropertyIdMediaData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listPropertyMedia, 'media', { ...options, path: { property_id: propertyId }, query })
  }
}

class UnitsResource extends Resource {
  /**
   * List units
   *
   * Permission: `units:read`.
   */
  list(query: Query<contract.GetUnitsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listUnits, 'units', { ...options, query })
  }

  /**
   * Create a unit
   *
   * Permission: `units:write`.
   */
  create(body: contract.PostUnitsData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createUnit, 'unit', { ...options, body })
  }

  /**
   * Change parts of many units
   *
   * Each unit is changed by the rules of a single change. One that is refused stays as it is, with its problem in
   * `results`; the others change all the same. Permission: `units:write`.
   */
  updateMany(body: contract.PatchUnitsData['body'], options: RequestOptions = {}) {
    return this.request(operations.updateUnits, { ...options, body })
  }

  /**
   * Read one unit
   *
   * Permission: `units:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getUnit, 'unit', { ...options, path: { id } })
  }

  /**
   * Replace a unit
   *
   * Permission: `units:write`.
   */
  replace(id: string, body: contract.PutUnitsByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.replaceUnit, 'unit', { ...options, path: { id }, body })
  }

  /**
   * Update a unit
   *
   * Permission: `units:write`.
   */
  update(id: string, body: contract.PatchUnitsByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.updateUnit, 'unit', { ...options, path: { id }, body })
  }

  /**
   * Delete a unit
   *
   * Permission: `units:write`.
   */
  delete(id: string, options: RequestOptions = {}) {
    return this.request(operations.deleteUnit, { ...options, path: { id } })
  }
}

class RatePlansResource extends Resource {
  /**
   * List rate plans
   *
   * Permission: `units:read`.
   */
  list(query: Query<contract.GetRatePlansData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listRatePlans, 'rate_plans', { ...options, query })
  }

  /**
   * Create a rate plan
   *
   * Permission: `units:write`.
   */
  create(body: contract.PostRatePlansData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createRatePlan, 'rate_plan', { ...options, body })
  }

  /**
   * Read one rate plan
   *
   * Permission: `units:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getRatePlan, 'rate_plan', { ...options, path: { id } })
  }

  /**
   * Replace a rate plan
   *
   * Permission: `units:write`.
   */
  replace(id: string, body: contract.PutRatePlansByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.replaceRatePlan, 'rate_plan', { ...options, path: { id }, body })
  }

  /**
   * Update a rate plan
   *
   * Permission: `units:write`.
   */
  update(id: string, body: contract.PatchRatePlansByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.updateRatePlan, 'rate_plan', { ...options, path: { id }, body })
  }

  /**
   * Delete a rate plan
   *
   * Permission: `units:write`.
   */
  delete(id: string, options: RequestOptions = {}) {
    return this.request(operations.deleteRatePlan, { ...options, path: { id } })
  }
}

class ChargesResource extends Resource {
  /**
   * List charges
   *
   * Permission: `units:read`.
   */
  list(query: Query<contract.GetChargesData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listCharges, 'charges', { ...options, query })
  }

  /**
   * Create a charge
   *
   * Permission: `units:write`.
   */
  create(body: contract.PostChargesData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createCharge, 'charge', { ...options, body })
  }

  /**
   * Read one charge
   *
   * Permission: `units:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getCharge, 'charge', { ...options, path: { id } })
  }

  /**
   * Replace a charge
   *
   * Permission: `units:write`.
   */
  replace(id: string, body: contract.PutChargesByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.replaceCharge, 'charge', { ...options, path: { id }, body })
  }

  /**
   * Update a charge
   *
   * Permission: `units:write`.
   */
  update(id: string, body: contract.PatchChargesByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.updateCharge, 'charge', { ...options, path: { id }, body })
  }

  /**
   * Delete a charge
   *
   * Permission: `units:write`.
   */
  delete(id: string, options: RequestOptions = {}) {
    return this.request(operations.deleteCharge, { ...options, path: { id } })
  }
}

class CalendarResource extends Resource {
  /**
   * Change nights of many units and plans
   *
   * One change: all values or none, one entry in the audit. Of two values for a night the later one applies. Past
   * nights (at the unit) are omitted. A price may be derived from the current one. With `dry_run` the response is
   * 200 with what would change. Permission: `units:write`.
   */
  change(body: contract.PostCalendarData['body'], options: RequestOptions = {}) {
    return this.request(operations.changeCalendar, { ...options, body })
  }

  /**
   * Read the calendar
   *
   * At most 100 units per page, 400 nights, and 20,000 nights of all units of a page. The `ETag` changes with
   * anything that is shown. Permission: `units:read`.
   */
  list(query: Query<contract.GetCalendarData>, options: RequestOptions = {}) {
    return this.requestList(operations.listCalendar, 'calendar', { ...options, query })
  }

  /**
   * Copy nights to other units, or to another year
   *
   * One change: of the default plan of each unit. What is not decided for a copied night returns to the default.
   * With `years` the nights go to the same weekdays. Nights that are past where the unit is are left out; blocked
   * rooms are not copied. With `dry_run`, what would change is answered with 200. Permission: `units:write`.
   */
  copy(body: contract.PostCalendarCopyData['body'], options: RequestOptions = {}) {
    return this.request(operations.copyCalendar, { ...options, body })
  }

  /**
   * Read the calendar of many units
   *
   * For more units than a URL can contain. At most 100 units per page, 400 nights, and 20,000 nights of all units
   * of a page. Permission: `units:read`.
   */
  search(body: contract.PostCalendarSearchData['body'], options: RequestOptions = {}) {
    return this.request(operations.searchCalendar, { ...options, body })
  }
}

class CalendarChangesResource extends Resource {
  /**
   * List calendar changes
   *
   * The changes of the last 90 days, the newest first. Filters by unit and night find changes that replaced a value
   * there. Permission: `units:read`.
   */
  list(query: Query<contract.GetCalendarChangesData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listCalendarChanges, 'calendar_changes', { ...options, query })
  }

  /**
   * Read one calendar change
   *
   * With the replaced values; nights with equal values before and after are one entry. Reasons of blocks are shown
   * to callers who may see contact data of guests. Permission: `units:read`.
   */
  get(id: string, query: Query<contract.GetCalendarChangesByIdData> = {}, options: RequestOptions = {}) {
    return this.requestRecord(operations.getCalendarChange, 'calendar_change', { ...options, path: { id }, query })
  }

  /**
   * Revert a calendar change
   *
   * Restores what it replaced, as one new change. Nights that were changed since, and past nights, are skipped and
   * listed. A change is reverted once: a repeated request returns the first revert with 200. Permission:
   * `units:write`.
   */
  revert(id: string, options: RequestOptions = {}) {
    return this.request(operations.revertCalendarChange, { ...options, path: { id } })
  }
}

class SeasonsResource extends Resource {
  /**
   * List seasons
   *
   * Permission: `units:read`.
   */
  list(query: Query<contract.GetSeasonsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listSeasons, 'seasons', { ...options, query })
  }

  /**
   * Create a season
   *
   * Permission: `units:write`.
   */
  create(body: contract.PostSeasonsData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createSeason, 'season', { ...options, body })
  }

  /**
   * Read one season
   *
   * Permission: `units:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getSeason, 'season', { ...options, path: { id } })
  }

  /**
   * Replace a season
   *
   * Permission: `units:write`.
   */
  replace(id: string, body: contract.PutSeasonsByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.replaceSeason, 'season', { ...options, path: { id }, body })
  }

  /**
   * Delete a season
   *
   * Permission: `units:write`.
   */
  delete(id: string, options: RequestOptions = {}) {
    return this.request(operations.deleteSeason, { ...options, path: { id } })
  }

  /**
   * Apply a season to units
   *
   * One change of the calendar, for the default plan of each unit. Past nights (at the unit) are omitted. With
   * `dry_run` the response is 200 with what would change. Permission: `units:write`.
   */
  apply(id: string, body: contract.PostSeasonsByIdApplyData['body'], options: RequestOptions = {}) {
    return this.request(operations.applySeason, { ...options, path: { id }, body })
  }
}

class BookingsResource extends Resource {
  /**
   * List bookings
   *
   * Permission: `bookings:read`.
   */
  list(query: Query<contract.GetBookingsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listBookings, 'bookings', { ...options, query })
  }

  /**
   * Create a booking
   *
   * Permission: `bookings:write`.
   */
  create(body: contract.PostBookingsData['body'], options: RequestOptions & { query?: Query<contract.PostBookingsData> } = {}) {
    return this.requestRecord(operations.createBooking, 'booking', { ...options, body })
  }

  /**
   * Read one booking
   *
   * Permission: `bookings:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getBooking, 'booking', { ...options, path: { id } })
  }

  /**
   * Replace a booking
   *
   * Permission: `bookings:write`.
   */
  replace(id: string, body: contract.PutBookingsByIdData['body'], options: RequestOptions & { query?: Query<contract.PutBookingsByIdData> } = {}) {
    return this.requestRecord(operations.replaceBooking, 'booking', { ...options, path: { id }, body })
  }

  /**
   * Update a booking
   *
   * Permission: `bookings:write`.
   */
  update(id: string, body: contract.PatchBookingsByIdData['body'], options: RequestOptions & { query?: Query<contract.PatchBookingsByIdData> } = {}) {
    return this.requestRecord(operations.updateBooking, 'booking', { ...options, path: { id }, body })
  }

  /**
   * Delete a booking
   *
   * Permission: `bookings:write`.
   */
  delete(id: string, options: RequestOptions = {}) {
    return this.request(operations.deleteBooking, { ...options, path: { id } })
  }

  /**
   * Confirm, cancel, check in or check out many bookings
   *
   * Each booking is changed by the rules of a single change. A refused booking stays unchanged, with its problem in
   * `results`; the others change. A booking that has the requested state already succeeds. Permission:
   * `bookings:write`.
   */
  updateMany(body: contract.PostBookingsBulkData['body'], options: RequestOptions = {}) {
    return this.request(operations.updateBookings, { ...options, body })
  }

  /**
   * Export bookings as CSV
   *
   * All bookings that match the filters of the list, with the names of their units and spaces. Amounts are in minor
   * units. The contact columns are omitted for callers without `guest_contacts:read` or `bookings:write`.
   * Permission: `bookings:read`.
   */
  export(query: Query<contract.GetBookingsCsvData> = {}, options: RequestOptions = {}) {
    return this.requestFile(operations.exportBookings, { ...options, query })
  }

  /**
   * Check a change of the stay
   *
   * Answers with the price of the changed stay by the calendar, or refuses as the change itself would be refused.
   * Nothing is changed. Permission: `bookings:write`.
   */
  preview(id: string, body: contract.PostBookingsByIdPreviewData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.previewBooking, 'preview', { ...options, path: { id }, body })
  }

  /**
   * What a cancellation would refund
   *
   * By the cancellation policy, if the booking was cancelled now. Nothing is changed. Permission: `bookings:write`.
   */
  getCancellation(id: string, query: Query<contract.GetBookingsByIdCancellationData> = {}, options: RequestOptions = {}) {
    return this.requestRecord(operations.getBookingCancellation, 'cancellation', { ...options, path: { id }, query })
  }

  /**
   * What happened to a booking
   *
   * Its quote, its changes, payments, refunds, notifications and the pushes that they caused. Parts that the caller
   * may not read are left out. Permission: `bookings:read`.
   */
  listTimeline(id: string, options: RequestOptions = {}) {
    return this.requestList(operations.listBookingTimeline, 'timeline', { ...options, path: { id } })
  }
}

class GuestExportsResource extends Resource {
  /**
   * Export the data of a guest
   *
   * For owners. The export is not stored; the audit records that it was requested. The lists of an unknown guest
   * are empty. Permission: `guests:read`.
   */
  create(body: contract.PostGuestExportsData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createGuestExport, 'guest_export', { ...options, body })
  }
}

class GuestErasuresResource extends Resource {
  /**
   * List guest erasures
   *
   * Permission: `guests:read`.
   */
  list(query: Query<contract.GetGuestErasuresData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listGuestErasures, 'guest_erasures', { ...options, query })
  }

  /**
   * Erase a guest
   *
   * For owners. A job erases the guest from all stored data, and later messages of a PMS about the same bookings
   * are applied without the guest. This cannot be undone. It does not reach the PMS, the payment provider and
   * partners; erase the guest there too. Permission: `guests:write`.
   */
  create(body: contract.PostGuestErasuresData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createGuestErasure, 'guest_erasure', { ...options, body })
  }

  /**
   * Read one guest erasure
   *
   * Permission: `guests:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getGuestErasure, 'guest_erasure', { ...options, path: { id } })
  }
}

class PaymentIntentsResource extends Resource {
  /**
   * List payment intents
   *
   * Permission: `payments:read`.
   */
  list(query: Query<contract.GetPaymentIntentsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listPaymentIntents, 'payment_intents', { ...options, query })
  }

  /**
   * Create a payment intent
   *
   * A worker calls the provider; the response waits for it up to two seconds. If it takes longer, `client_secret`
   * and `provider_reference` are null until the payment is read again. An open payment for the same booking,
   * amount, currency and capture method is returned instead of a second one. A repeated Idempotency-Key returns the
   * payment as it is then. Permission: `payments:write`.
   */
  create(body: contract.PostPaymentIntentsData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createPaymentIntent, 'payment_intent', { ...options, body })
  }

  /**
   * Read one payment intent
   *
   * Permission: `payments:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getPaymentIntent, 'payment_intent', { ...options, path: { id } })
  }

  /**
   * Capture a payment
   *
   * A worker requests it from the provider; until the provider answers, `requested` is `capture`. Permission:
   * `payments:write`.
   */
  capture(id: string, body: contract.PostPaymentIntentsByIdCaptureData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.capturePaymentIntent, 'payment_intent', { ...options, path: { id }, body })
  }

  /**
   * Cancel a payment
   *
   * A worker requests it from the provider; until the provider answers, `requested` is `cancel`. Permission:
   * `payments:write`.
   */
  cancel(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.cancelPaymentIntent, 'payment_intent', { ...options, path: { id } })
  }
}

class PaymentTotalsResource extends Resource {
  /**
   * Sums of all payments by currency
   *
   * Permission: `payments:read`.
   */
  list(options: RequestOptions = {}) {
    return this.requestList(operations.listPaymentTotals, 'payment_totals', { ...options })
  }
}

class RefundsResource extends Resource {
  /**
   * Create a refund
   *
   * A worker requests it from the provider: the refund is `pending` until the provider confirms it. Permission:
   * `payments:write`.
   */
  create(id: string, body: contract.PostPaymentIntentsByIdRefundsData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createRefund, 'refund', { ...options, path: { id }, body })
  }

  /**
   * List refunds
   *
   * Permission: `payments:read`.
   */
  list(query: Query<contract.GetRefundsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listRefunds, 'refunds', { ...options, query })
  }

  /**
   * Read one refund
   *
   * Permission: `payments:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getRefund, 'refund', { ...options, path: { id } })
  }
}

class SalesStopsResource extends Resource {
  /**
   * List sales stops
   *
   * Permission: `sync:read`.
   */
  list(query: Query<contract.GetSalesStopsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listSalesStops, 'sales_stops', { ...options, query })
  }

  /**
   * Stop sales at once
   *
   * Permission: `sync:write`.
   */
  create(body: contract.PostSalesStopsData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createSalesStop, 'sales_stop', { ...options, body })
  }

  /**
   * Read one sales stop
   *
   * Permission: `sync:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getSalesStop, 'sales_stop', { ...options, path: { id } })
  }

  /**
   * Resume sales
   *
   * Permission: `sync:write`.
   */
  delete(id: string, options: RequestOptions = {}) {
    return this.request(operations.deleteSalesStop, { ...options, path: { id } })
  }

  /**
   * What a stop would cover
   *
   * Takes the same members as a stop; without any of them everything is covered. Permission: `sync:read`.
   */
  preview(query: Query<contract.GetSalesStopsPreviewData> = {}, options: RequestOptions = {}) {
    return this.requestRecord(operations.previewSalesStop, 'reach', { ...options, query })
  }

  /**
   * How far a stop has reached the channels
   *
   * After the stop is lifted, how far its end has reached them. Permission: `sync:read`.
   */
  getReach(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getSalesStopReach, 'reach', { ...options, path: { id } })
  }
}

class AvailabilityResource extends Resource {
  /**
   * Search available units
   *
   * Every unit of the organization that can be booked for the whole stay, with its price. A page may have fewer
   * than `limit` units while `has_more` is true, when many units do not match; the cursor continues after them.
   * Permission: `units:read`.
   */
  list(query: Query<contract.GetAvailabilityData>, options: RequestOptions = {}) {
    return this.requestList(operations.listAvailability, 'availability', { ...options, query })
  }
}

class QuotesResource extends Resource {
  /**
   * List quotes
   *
   * Permission: `bookings:read`.
   */
  list(query: Query<contract.GetQuotesData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listQuotes, 'quotes', { ...options, query })
  }

  /**
   * Create a quote
   *
   * Calculated from the calendar, with an explanation of every charge. A stay that cannot be sold is refused with
   * all reasons. Permission: `quotes:write`.
   */
  create(body: contract.PostQuotesData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createQuote, 'quote', { ...options, body })
  }

  /**
   * Read one quote
   *
   * Permission: `bookings:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getQuote, 'quote', { ...options, path: { id } })
  }
}

class ChannelTargetsResource extends Resource {
  /**
   * List channel targets
   *
   * Permission: `channel_targets:read`.
   */
  list(query: Query<contract.GetChannelTargetsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listChannelTargets, 'channel_targets', { ...options, query })
  }

  /**
   * Create a channel target
   *
   * Permission: `channel_targets:write`.
   */
  create(body: contract.PostChannelTargetsData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createChannelTarget, 'channel_target', { ...options, body })
  }

  /**
   * Read one channel target
   *
   * Permission: `channel_targets:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getChannelTarget, 'channel_target', { ...options, path: { id } })
  }

  /**
   * Replace a channel target
   *
   * Permission: `channel_targets:write`.
   */
  replace(id: string, body: contract.PutChannelTargetsByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.replaceChannelTarget, 'channel_target', { ...options, path: { id }, body })
  }

  /**
   * Delete a channel target
   *
   * Permission: `channel_targets:write`.
   */
  delete(id: string, options: RequestOptions = {}) {
    return this.request(operations.deleteChannelTarget, { ...options, path: { id } })
  }

  /**
   * Pause a channel target
   *
   * Nothing more is pushed; changes wait. Permission: `channel_targets:write`.
   */
  pause(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.pauseChannelTarget, 'channel_target', { ...options, path: { id } })
  }

  /**
   * Resume a channel target
   *
   * Sends waiting changes, and compares the PMS with the desired values. Permission: `channel_targets:write`.
   */
  resume(id: string, options: RequestOptions = {}) {
    return this.request(operations.resumeChannelTarget, { ...options, path: { id } })
  }

  /**
   * Check a connection before it is created
   *
   * Calls the PMS with the configuration and counts its rooms. Nothing is stored. Permission:
   * `channel_targets:write`.
   */
  check(body: contract.PostChannelTargetsChecksData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.checkChannelTarget, 'connection_check', { ...options, body })
  }

  /**
   * List the rooms at the PMS
   *
   * Calls the PMS now, within its rate limits. Permission: `channel_targets:read`.
   */
  listOffers(id: string, options: RequestOptions = {}) {
    return this.requestList(operations.listChannelTargetOffers, 'offers', { ...options, path: { id } })
  }

  /**
   * Check a target and its listings
   *
   * Compares them with what the PMS shows now. Nothing is pushed. Permission: `channel_targets:read`.
   */
  getPreflight(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getChannelTargetPreflight, 'preflight', { ...options, path: { id } })
  }
}

class ChannelListingsResource extends Resource {
  /**
   * List channel listings
   *
   * Permission: `channel_listings:read`.
   */
  list(query: Query<contract.GetChannelListingsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listChannelListings, 'channel_listings', { ...options, query })
  }

  /**
   * Create a channel listing
   *
   * Permission: `channel_listings:write`.
   */
  create(body: contract.PostChannelListingsData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createChannelListing, 'channel_listing', { ...options, body })
  }

  /**
   * Read one channel listing
   *
   * Permission: `channel_listings:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getChannelListing, 'channel_listing', { ...options, path: { id } })
  }

  /**
   * Replace a channel listing
   *
   * Permission: `channel_listings:write`.
   */
  replace(id: string, body: contract.PutChannelListingsByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.replaceChannelListing, 'channel_listing', { ...options, path: { id }, body })
  }

  /**
   * Delete a channel listing
   *
   * Permission: `channel_listings:write`.
   */
  delete(id: string, options: RequestOptions = {}) {
    return this.request(operations.deleteChannelListing, { ...options, path: { id } })
  }

  /**
   * Pause a channel listing
   *
   * Nothing more is pushed; changes wait. Permission: `channel_listings:write`.
   */
  pause(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.pauseChannelListing, 'channel_listing', { ...options, path: { id } })
  }

  /**
   * Resume a channel listing
   *
   * Sends waiting changes, and compares the PMS with the desired values. Permission: `channel_listings:write`.
   */
  resume(id: string, options: RequestOptions = {}) {
    return this.request(operations.resumeChannelListing, { ...options, path: { id } })
  }

  /**
   * Check a listing before it goes live
   *
   * Compares it with what the PMS shows now. Nothing is pushed. Permission: `channel_listings:read`.
   */
  getPreflight(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getChannelListingPreflight, 'preflight', { ...options, path: { id } })
  }
}

class SyncResource extends Resource {
  /**
   * Compare desired, accepted and shown values
   *
   * Reads the PMS now. When it is not available, `differences` and `checked_at` are those of the last read-back,
   * and `error_message` has the reason. Permission: `sync:read`.
   */
  getProof(listingId: string, query: Query<contract.GetSyncProofByListingIdData> = {}, options: RequestOptions = {}) {
    return this.requestRecord(operations.getSyncProof, 'proof', { ...options, path: { listingId }, query })
  }

  /**
   * Preview the next push
   *
   * Nothing is sent. With mode `full`, the values of a full push. Permission: `sync:read`.
   */
  getPreview(listingId: string, query: Query<contract.GetSyncPreviewByListingIdData> = {}, options: RequestOptions = {}) {
    return this.requestRecord(operations.getSyncPreview, 'preview', { ...options, path: { listingId }, query })
  }

  /**
   * Push one listing to the PMS now
   *
   * Resets waits and attempts. Mode `full` sends everything, otherwise the differences are sent. Without
   * differences the PMS is read back, and corrected if it shows something else. Permission: `sync:write`.
   */
  trigger(body: contract.PostSyncTriggerData['body'], options: RequestOptions = {}) {
    return this.request(operations.triggerSync, { ...options, body })
  }

  /**
   * The sync status of one listing
   *
   * Permission: `sync:read`.
   */
  getStatus(listingId: string, options: RequestOptions = {}) {
    return this.request(operations.getSyncStatus, { ...options, path: { listingId } })
  }

  /**
   * List sync statuses
   *
   * Permission: `sync:read`.
   */
  listStatuses(query: Query<contract.GetSyncStatusData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listSyncStatuses, 'sync_statuses', { ...options, query })
  }

  /**
   * List audit
   *
   * Permission: `sync:read`.
   */
  listAudit(query: Query<contract.GetSyncAuditData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listSyncAudit, 'audit', { ...options, query })
  }

  /**
   * Changes of sync states as they happen (server-sent events)
   *
   * Events `hello` once and `sync` with one sync status each; a comment every 15 s. Permission: `sync:read`.
   */
  stream(options: StreamOptions = {}) {
    return this.followStream(operations.streamSync, { ...options })
  }

  /**
   * Retry failed listings
   *
   * One failed listing, those of a target, those with a cause, or all. Paused listings and inactive targets are
   * skipped. Permission: `sync:write`.
   */
  retry(body: contract.PostSyncRetriesData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.retrySync, 'retry', { ...options, body })
  }

  /**
   * Replay a listing or a target
   *
   * Sends content and all nights, whatever the PMS has. Permission: `sync:write`.
   */
  replay(body: contract.PostSyncReplaysData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.replaySync, 'replay', { ...options, body })
  }

  /**
   * Sync all listings of one property
   *
   * For owners and admins. Sends the differences, and reads the PMS back. Permission: `connectors:write`.
   */
  triggerProperty(body: contract.PostConnectorsPmsSyncData['body'], options: RequestOptions = {}) {
    return this.request(operations.triggerSyncProperty, { ...options, body })
  }

  /**
   * List sync targets
   *
   * Permission: `sync:read`.
   */
  listTargets(query: Query<contract.GetSyncTargetsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listSyncTargets, 'sync_targets', { ...options, query })
  }

  /**
   * The PMS of a target: availability, remaining calls, waiting changes
   *
   * Permission: `sync:read`.
   */
  getTarget(targetId: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getSyncTarget, 'sync_target', { ...options, path: { targetId } })
  }

  /**
   * Failing listings by cause
   *
   * Listings fail with one cause when the code, the target and the message are the same apart from names and
   * numbers. Paused listings and inactive targets are left out. Permission: `sync:read`.
   */
  listFailures(query: Query<contract.GetSyncFailuresData> = {}, options: RequestOptions = {}) {
    return this.request(operations.listSyncFailures, { ...options, query })
  }

  /**
   * The listings that fail with one cause
   *
   * Permission: `sync:read`.
   */
  listFailureListings(id: string, query: Query<contract.GetSyncFailuresByIdListingsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listSyncFailureListings, 'failing_listings', { ...options, path: { id }, query })
  }

  /**
   * Retry all listings with one cause
   *
   * Listings that wait for another attempt are retried at once, too. Permission: `sync:write`.
   */
  retryFailure(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.retrySyncFailure, 'retry', { ...options, path: { id } })
  }
}

class AlertsResource extends Resource {
  /**
   * List alerts
   *
   * Permission: `sync:read`.
   */
  list(query: Query<contract.GetAlertsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listAlerts, 'alerts', { ...options, query })
  }

  /**
   * Read one alert
   *
   * Permission: `sync:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getAlert, 'alert', { ...options, path: { id } })
  }
}

class AnalyticsResource extends Resource {
  /**
   * Read occupancy, revenue and the state of the sync
   *
   * For owners and admins. Covers the last 30 nights by default, at most 731. `account_id`, `space_id` and
   * `unit_id` narrow all figures; those of messages only by account. Permission: `analytics:read`.
   */
  get(query: Query<contract.GetAdminAnalyticsData> = {}, options: RequestOptions = {}) {
    return this.requestRecord(operations.getAnalytics, 'analytics', { ...options, query })
  }
}

class TodayResource extends Resource {
  /**
   * Read the tasks of today
   *
   * Arrivals, departures, current stays, unpaid stays, open conflicts and alerts, and failing listings by cause:
   * counts, and the first records of each. With `space_id`, only those of the units of these spaces. Permission:
   * `bookings:read`.
   */
  get(query: Query<contract.GetTodayData> = {}, options: RequestOptions = {}) {
    return this.requestRecord(operations.getToday, 'today', { ...options, query })
  }
}

class SearchResource extends Resource {
  /**
   * Search units, spaces, bookings, guests and listings
   *
   * Finds records that contain every word, ignoring case and accents, and records whose id begins with the text
   * (eight characters or more). Records that begin with the text are first. Addresses and phone numbers of guests
   * are searched for callers who may see them. Permission: `spaces:read`.
   */
  query(query: Query<contract.GetSearchData>, options: RequestOptions = {}) {
    return this.requestRecord(operations.querySearch, 'search', { ...options, query })
  }
}

class AuditResource extends Resource {
  /**
   * Who changed what
   *
   * Every change of a record that people set up, of bookings and of the calendar, with the values before and after.
   * Pushes are in `GET /api/v1/sync/audit`. Permission: `audit:read`.
   */
  list(query: Query<contract.GetAuditData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listAudit, 'audit_entries', { ...options, query })
  }

  /**
   * Export the audit log as CSV
   *
   * All entries that match the filters of the list: one line for each changed field. Permission: `audit:read`.
   */
  export(query: Query<contract.GetAuditCsvData> = {}, options: RequestOptions = {}) {
    return this.requestFile(operations.exportAudit, { ...options, query })
  }
}

class WebhookMessagesResource extends Resource {
  /**
   * List webhook messages
   *
   * Permission: `webhook_messages:read`.
   */
  list(query: Query<contract.GetWebhookMessagesData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listWebhookMessages, 'webhook_messages', { ...options, query })
  }

  /**
   * Read one webhook message
   *
   * Permission: `webhook_messages:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getWebhookMessage, 'webhook_message', { ...options, path: { id } })
  }

  /**
   * Process a webhook message again
   *
   * Has no effect when a newer revision was applied. Permission: `sync:write`.
   */
  replay(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.replayWebhookMessage, 'webhook_message', { ...options, path: { id } })
  }
}

class BookingConflictsResource extends Resource {
  /**
   * List booking conflicts
   *
   * Permission: `bookings:read`.
   */
  list(query: Query<contract.GetBookingConflictsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listBookingConflicts, 'booking_conflicts', { ...options, query })
  }

  /**
   * Read one booking conflict
   *
   * Permission: `bookings:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getBookingConflict, 'booking_conflict', { ...options, path: { id } })
  }

  /**
   * Retry a booking of the PMS
   *
   * The response has the new status of the conflict. Permission: `bookings:write`.
   */
  retry(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.retryBookingConflict, 'booking_conflict', { ...options, path: { id } })
  }

  /**
   * Accept a booking of the PMS in another unit
   *
   * The booking takes a room of the unit that is named, and the conflict closes. Later changes of the PMS apply to
   * the booking as before; one that does not fit the room it was sold for is a new conflict, and the booking keeps
   * its unit. Permission: `bookings:write`.
   */
  accept(id: string, body: contract.PostBookingConflictsByIdAcceptanceData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.acceptBookingConflict, 'booking_conflict', { ...options, path: { id }, body })
  }

  /**
   * Dismiss a booking conflict
   *
   * The conflict reopens when the PMS changes the booking and it still does not fit. Permission: `bookings:write`.
   */
  dismiss(id: string, body: contract.PostBookingConflictsByIdDismissalData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.dismissBookingConflict, 'booking_conflict', { ...options, path: { id }, body })
  }
}

class NotificationsResource extends Resource {
  /**
   * List notifications
   *
   * Permission: `notifications:read`.
   */
  list(query: Query<contract.GetNotificationsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listNotifications, 'notifications', { ...options, query })
  }

  /**
   * Read one notification
   *
   * Permission: `notifications:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getNotification, 'notification', { ...options, path: { id } })
  }

  /**
   * Send a test e-mail
   *
   * At most 10 per hour. Permission: `notifications:write`.
   */
  sendTest(body: contract.PostTestSendEmailData['body'], options: RequestOptions = {}) {
    return this.request(operations.sendNotificationTest, { ...options, body })
  }

  /**
   * Send a notification again
   *
   * A new notification with the same text, to the address that the guest has now. Rejected while the first one is
   * being sent, when the guest has none, and when its text was erased. Permission: `notifications:send`.
   */
  resend(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.resendNotification, 'notification', { ...options, path: { id } })
  }
}

class NotificationPreferencesResource extends Resource {
  /**
   * Read the notification preferences
   *
   * Permission: `notifications:read`.
   */
  get(options: RequestOptions = {}) {
    return this.requestRecord(operations.getNotificationPreferences, 'notification_preferences', { ...options })
  }

  /**
   * Replace the notification preferences
   *
   * Notifications of failures that affect guests must reach somebody by e-mail or SMS. Permission:
   * `notifications:write`.
   */
  replace(body: contract.PutNotificationPreferencesData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.replaceNotificationPreferences, 'notification_preferences', { ...options, body })
  }
}

class NotificationTemplatesResource extends Resource {
  /**
   * List notification templates
   *
   * Permission: `notifications:read`.
   */
  list(options: RequestOptions = {}) {
    return this.requestList(operations.listNotificationTemplates, 'notification_templates', { ...options })
  }

  /**
   * Preview a template with sample data
   *
   * Permission: `notifications:read`.
   */
  preview(query: Query<contract.GetNotificationTemplatesPreviewData>, options: RequestOptions = {}) {
    return this.requestFile(operations.previewNotificationTemplate, { ...options, query })
  }
}

class EventsResource extends Resource {
  /**
   * Read the event feed
   *
   * Oldest first, after a cursor. `next_cursor` is always set: store it when the events are processed, and continue
   * with it. No event is missed or repeated, also during concurrent writes. Permission: `events:read`.
   */
  list(query: Query<contract.GetEventsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listEvents, 'events', { ...options, query })
  }

  /**
   * Read one event
   *
   * Permission: `events:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getEvent, 'event', { ...options, path: { id } })
  }

  /**
   * Changes of records as they happen (server-sent events)
   *
   * For screens that stay current. `hello` is sent once. `changes` has the ids of changed records by kind, as far
   * as the caller may read them: `{"booking":["<id>"],"rate_plan":null}`. Ids of `calendar` are those of units;
   * null stands for any record of the kind, as do more than 100 of them. `sync` has one sync status each. With
   * `Last-Event-ID` the stream continues after an interruption: missed changes are sent as `changes`, and `reset`
   * means that everything must be read again. A comment is sent every 15 s. Needs a valid token.
   */
  stream(options: StreamOptions = {}) {
    return this.followStream(operations.streamEvents, { ...options })
  }
}

class WebhookEndpointsResource extends Resource {
  /**
   * List webhook endpoints
   *
   * Permission: `webhooks:read`.
   */
  list(query: Query<contract.GetWebhookEndpointsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listWebhookEndpoints, 'webhook_endpoints', { ...options, query })
  }

  /**
   * Create a webhook endpoint
   *
   * Permission: `webhooks:write`.
   */
  create(body: contract.PostWebhookEndpointsData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createWebhookEndpoint, 'webhook_endpoint', { ...options, body })
  }

  /**
   * Read one webhook endpoint
   *
   * Permission: `webhooks:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getWebhookEndpoint, 'webhook_endpoint', { ...options, path: { id } })
  }

  /**
   * Replace a webhook endpoint
   *
   * Permission: `webhooks:write`.
   */
  replace(id: string, body: contract.PutWebhookEndpointsByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.replaceWebhookEndpoint, 'webhook_endpoint', { ...options, path: { id }, body })
  }

  /**
   * Update a webhook endpoint
   *
   * Permission: `webhooks:write`.
   */
  update(id: string, body: contract.PatchWebhookEndpointsByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.updateWebhookEndpoint, 'webhook_endpoint', { ...options, path: { id }, body })
  }

  /**
   * Delete a webhook endpoint
   *
   * Permission: `webhooks:write`.
   */
  delete(id: string, options: RequestOptions = {}) {
    return this.request(operations.deleteWebhookEndpoint, { ...options, path: { id } })
  }

  /**
   * Generate a new secret for a webhook endpoint
   *
   * Both secrets sign for a day, so that the receiver can change over without losing an event. Permission:
   * `webhooks:write`.
   */
  rotateSecret(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.rotateWebhookEndpointSecret, 'webhook_endpoint', { ...options, path: { id } })
  }

  /**
   * List the deliveries of a webhook endpoint
   *
   * Permission: `webhooks:read`.
   */
  listDeliveries(id: string, query: Query<contract.GetWebhookEndpointsByIdDeliveriesData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listWebhookEndpointDeliveries, 'webhook_deliveries', { ...options, path: { id }, query })
  }

  /**
   * Send a test event to a webhook endpoint
   *
   * Sends an event of the type `webhook.test` to this endpoint only, whatever types it subscribes to. Permission:
   * `webhooks:write`.
   */
  test(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.testWebhookEndpoint, 'webhook_delivery', { ...options, path: { id } })
  }

  /**
   * Send the events of a period again
   *
   * Events of the types that the endpoint subscribes to now, including those that it never received. Permission:
   * `webhooks:write`.
   */
  replay(id: string, body: contract.PostWebhookEndpointsByIdReplayData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.replayWebhookEndpoint, 'webhook_replay', { ...options, path: { id }, body })
  }
}

class WebhookDeliveriesResource extends Resource {
  /**
   * List webhook deliveries
   *
   * Permission: `webhooks:read`.
   */
  list(query: Query<contract.GetWebhookDeliveriesData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listWebhookDeliveries, 'webhook_deliveries', { ...options, query })
  }

  /**
   * Read one webhook delivery
   *
   * Permission: `webhooks:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getWebhookDelivery, 'webhook_delivery', { ...options, path: { id } })
  }

  /**
   * Send a delivery again
   *
   * Sent at once with the same `webhook-id`, so that the receiver can detect the repetition. Permission:
   * `webhooks:write`.
   */
  replay(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.replayWebhookDelivery, 'webhook_delivery', { ...options, path: { id } })
  }
}

class ImportsResource extends Resource {
  /**
   * List imports
   *
   * Permission: `channel_targets:read`.
   */
  list(query: Query<contract.GetImportsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listImports, 'imports', { ...options, query })
  }

  /**
   * Plan an import from a PMS
   *
   * Reads the portfolio in the background. Then the items show what a run will create, match or skip. Permission:
   * `channel_targets:write`.
   */
  create(body: contract.PostImportsData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createImport, 'import', { ...options, body })
  }

  /**
   * Read one import
   *
   * Permission: `channel_targets:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getImport, 'import', { ...options, path: { id } })
  }

  /**
   * List import items
   *
   * Permission: `channel_targets:read`.
   */
  listItems(id: string, query: Query<contract.GetImportsByIdItemsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listImportItems, 'import_items', { ...options, path: { id }, query })
  }

  /**
   * Run an import
   *
   * Makes what was planned, in the background; one that failed is continued. Listings are linked paused: nothing is
   * pushed before they are resumed. Permission: `channel_targets:write`.
   */
  run(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.runImport, 'import', { ...options, path: { id } })
  }

  /**
   * Cancel an import
   *
   * What it has made stays, and another import matches it. Permission: `channel_targets:write`.
   */
  cancel(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.cancelImport, 'import', { ...options, path: { id } })
  }

  /**
   * Go live with an import
   *
   * Resumes its paused listings in the background; `listings_paused` says how many are left. What will be pushed is
   * shown before by the preflight of the channel target and the preview of each listing. Permission:
   * `channel_targets:write`.
   */
  live(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.liveImport, 'import', { ...options, path: { id } })
  }
}

class ExportsResource extends Resource {
  /**
   * List exports
   *
   * Permission: `exports:read`.
   */
  list(query: Query<contract.GetExportsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listExports, 'exports', { ...options, query })
  }

  /**
   * Export the organization
   *
   * For owners. A job writes all records, with all data of guests, and media into one file, which is kept for 7
   * days. Secrets are left out. Permission: `exports:write`.
   */
  create(options: RequestOptions = {}) {
    return this.requestRecord(operations.createExport, 'export', { ...options })
  }

  /**
   * Read one export
   *
   * Permission: `exports:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getExport, 'export', { ...options, path: { id } })
  }

  /**
   * Get an address to download an export
   *
   * Anyone with the address may download the file until it expires. Permission: `exports:write`.
   */
  createDownload(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.createExportDownload, 'download', { ...options, path: { id } })
  }

  /**
   * Download an export
   *
   * The address of a download. Open to everyone.
   */
  download(token: string, options: RequestOptions = {}) {
    return this.requestFile(operations.downloadExport, { ...options, path: { token } })
  }
}

class FileImportsResource extends Resource {
  /**
   * Import units, rates or bookings from a file
   *
   * The body is a CSV file of at most 20 MiB, or a JSON file of at most 5 MiB, with at most 100,000 rows. The
   * columns are mapped by their names, and the rows are planned in the background: nothing is made before the
   * import is run. Permission: `imports:write`.
   */
  create(body: contract.PostFileImportsData['body'], options: RequestOptions & { query: Query<contract.PostFileImportsData> }) {
    return this.requestRecord(operations.createFileImport, 'file_import', { ...options, body })
  }

  /**
   * List file imports
   *
   * Permission: `imports:read`.
   */
  list(query: Query<contract.GetFileImportsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listFileImports, 'file_imports', { ...options, query })
  }

  /**
   * Read one file import
   *
   * Permission: `imports:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getFileImport, 'file_import', { ...options, path: { id } })
  }

  /**
   * Change the columns of a file import
   *
   * The rows are planned again. An import that was run cannot be changed. Permission: `imports:write`.
   */
  update(id: string, body: contract.PatchFileImportsByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.updateFileImport, 'file_import', { ...options, path: { id }, body })
  }

  /**
   * List file import rows
   *
   * Permission: `imports:read`.
   */
  listRows(id: string, query: Query<contract.GetFileImportsByIdRowsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listFileImportRows, 'file_import_rows', { ...options, path: { id }, query })
  }

  /**
   * Run a file import
   *
   * Makes what was planned, in the background; rows with errors are left out. Rates of linked units are pushed, and
   * guests of bookings are not notified. Permission: `imports:write`.
   */
  run(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.runFileImport, 'file_import', { ...options, path: { id } })
  }

  /**
   * Cancel a file import
   *
   * What it has made stays. Permission: `imports:write`.
   */
  cancel(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.cancelFileImport, 'file_import', { ...options, path: { id } })
  }
}

class MediaResource extends Resource {
  /**
   * Store a photo or document of a property
   *
   * At most 10 MiB and 50 million pixels (AVIF and GIF: 20 million). Photos are pushed to the PMS. Permission:
   * `media:write`.
   */
  upload(propertyId: string, body: contract.PostPropertiesByPropertyIdMediaData['body'], options: RequestOptions = {}) {
    return this.request(operations.uploadMedia, { ...options, path: { property_id: propertyId }, body })
  }

  /**
   * List media
   *
   * Permission: `spaces:read`.
   */
  list(query: Query<contract.GetMediaData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listMedia, 'media', { ...options, query })
  }

  /**
   * Read one media
   *
   * Permission: `spaces:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getMedia, 'media', { ...options, path: { id } })
  }

  /**
   * Update the position or description of a file
   *
   * Permission: `media:write`.
   */
  update(id: string, body: contract.PatchMediaByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.updateMedia, 'media', { ...options, path: { id }, body })
  }

  /**
   * Delete a media
   *
   * Permission: `media:write`.
   */
  delete(id: string, options: RequestOptions = {}) {
    return this.request(operations.deleteMedia, { ...options, path: { id } })
  }

  /**
   * A stored file
   *
   * The `url` of a media or of a rendition. The content of an address never changes. Open to everyone.
   */
  download(organization: string, file: string, options: RequestOptions = {}) {
    return this.requestFile(operations.downloadMedia, { ...options, path: { organization, file } })
  }
}

class CalendarFeedsResource extends Resource {
  /**
   * List calendar feeds
   *
   * Permission: `units:read`.
   */
  list(query: Query<contract.GetCalendarFeedsData> = {}, options: RequestOptions = {}) {
    return this.requestList(operations.listCalendarFeeds, 'calendar_feeds', { ...options, query })
  }

  /**
   * Create a calendar feed
   *
   * Permission: `units:write`.
   */
  create(body: contract.PostCalendarFeedsData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.createCalendarFeed, 'calendar_feed', { ...options, body })
  }

  /**
   * Read one calendar feed
   *
   * Permission: `units:read`.
   */
  get(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.getCalendarFeed, 'calendar_feed', { ...options, path: { id } })
  }

  /**
   * Update a calendar feed
   *
   * Permission: `units:write`.
   */
  update(id: string, body: contract.PatchCalendarFeedsByIdData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.updateCalendarFeed, 'calendar_feed', { ...options, path: { id }, body })
  }

  /**
   * Delete a calendar feed
   *
   * Permission: `units:write`.
   */
  delete(id: string, options: RequestOptions = {}) {
    return this.request(operations.deleteCalendarFeed, { ...options, path: { id } })
  }

  /**
   * Decide about nights that disappeared from an imported calendar
   *
   * For a feed with `held`: accept frees the nights at once, keep leaves them blocked until the calendar changes.
   * After keep, accept is still possible. Permission: `units:write`.
   */
  decide(id: string, body: contract.PostCalendarFeedsByIdDecisionData['body'], options: RequestOptions = {}) {
    return this.requestRecord(operations.decideCalendarFeed, 'calendar_feed', { ...options, path: { id }, body })
  }

  /**
   * Fetch an imported calendar now
   *
   * Permission: `units:write`.
   */
  fetch(id: string, options: RequestOptions = {}) {
    return this.requestRecord(operations.fetchCalendarFeed, 'calendar_feed', { ...options, path: { id } })
  }

  /**
   * Get the calendar of a unit (iCalendar)
   *
   * The nights without a free room, two years ahead, without data of guests. Open to everyone.
   */
  download(token: string, options: RequestOptions = {}) {
    return this.requestFile(operations.downloadCalendarFeed, { ...options, path: { token } })
  }
}

class HealthResource extends Resource {
  /**
   * The health of the service and its dependencies, at most 2 seconds old
   *
   * Open to everyone.
   */
  get(options: RequestOptions = {}) {
    return this.request(operations.getHealth, { ...options })
  }

  /**
   * Check whether requests can be served; 503 while the database is unavailable
   *
   * Open to everyone.
   */
  getReadiness(options: RequestOptions = {}) {
    return this.request(operations.getHealthReadiness, { ...options })
  }

  /**
   * Metrics for Prometheus (text format 0.0.4)
   *
   * If METRICS_TOKEN is set, it must be sent as a bearer token. Open to everyone.
   */
  getMetrics(options: RequestOptions = {}) {
    return this.requestFile(operations.getHealthMetrics, { ...options })
  }
}

/** All resources of the API. */
export class Resources {
  readonly session: SessionResource
  readonly rateLimits: RateLimitsResource
  readonly organizations: OrganizationsResource
  readonly accounts: AccountsResource
  readonly members: MembersResource
  readonly spaces: SpacesResource
  readonly properties: PropertiesResource
  readonly units: UnitsResource
  readonly ratePlans: RatePlansResource
  readonly charges: ChargesResource
  readonly calendar: CalendarResource
  readonly calendarChanges: CalendarChangesResource
  readonly seasons: SeasonsResource
  readonly bookings: BookingsResource
  readonly guestExports: GuestExportsResource
  readonly guestErasures: GuestErasuresResource
  readonly paymentIntents: PaymentIntentsResource
  readonly paymentTotals: PaymentTotalsResource
  readonly refunds: RefundsResource
  readonly salesStops: SalesStopsResource
  readonly availability: AvailabilityResource
  readonly quotes: QuotesResource
  readonly channelTargets: ChannelTargetsResource
  readonly channelListings: ChannelListingsResource
  readonly sync: SyncResource
  readonly alerts: AlertsResource
  readonly analytics: AnalyticsResource
  readonly today: TodayResource
  readonly search: SearchResource
  readonly audit: AuditResource
  readonly webhookMessages: WebhookMessagesResource
  readonly bookingConflicts: BookingConflictsResource
  readonly notifications: NotificationsResource
  readonly notificationPreferences: NotificationPreferencesResource
  readonly notificationTemplates: NotificationTemplatesResource
  readonly events: EventsResource
  readonly webhookEndpoints: WebhookEndpointsResource
  readonly webhookDeliveries: WebhookDeliveriesResource
  readonly imports: ImportsResource
  readonly exports: ExportsResource
  readonly fileImports: FileImportsResource
  readonly media: MediaResource
  readonly calendarFeeds: CalendarFeedsResource
  readonly health: HealthResource

  constructor(client: Client) {
    this.session = new SessionResource(client)
    this.rateLimits = new RateLimitsResource(client)
    this.organizations = new OrganizationsResource(client)
    this.accounts = new AccountsResource(client)
    this.members = new MembersResource(client)
    this.spaces = new SpacesResource(client)
    this.properties = new PropertiesResource(client)
    this.units = new UnitsResource(client)
    this.ratePlans = new RatePlansResource(client)
    this.charges = new ChargesResource(client)
    this.calendar = new CalendarResource(client)
    this.calendarChanges = new CalendarChangesResource(client)
    this.seasons = new SeasonsResource(client)
    this.bookings = new BookingsResource(client)
    this.guestExports = new GuestExportsResource(client)
    this.guestErasures = new GuestErasuresResource(client)
    this.paymentIntents = new PaymentIntentsResource(client)
    this.paymentTotals = new PaymentTotalsResource(client)
    this.refunds = new RefundsResource(client)
    this.salesStops = new SalesStopsResource(client)
    this.availability = new AvailabilityResource(client)
    this.quotes = new QuotesResource(client)
    this.channelTargets = new ChannelTargetsResource(client)
    this.channelListings = new ChannelListingsResource(client)
    this.sync = new SyncResource(client)
    this.alerts = new AlertsResource(client)
    this.analytics = new AnalyticsResource(client)
    this.today = new TodayResource(client)
    this.search = new SearchResource(client)
    this.audit = new AuditResource(client)
    this.webhookMessages = new WebhookMessagesResource(client)
    this.bookingConflicts = new BookingConflictsResource(client)
    this.notifications = new NotificationsResource(client)
    this.notificationPreferences = new NotificationPreferencesResource(client)
    this.notificationTemplates = new NotificationTemplatesResource(client)
    this.events = new EventsResource(client)
    this.webhookEndpoints = new WebhookEndpointsResource(client)
    this.webhookDeliveries = new WebhookDeliveriesResource(client)
    this.imports = new ImportsResource(client)
    this.exports = new ExportsResource(client)
    this.fileImports = new FileImportsResource(client)
    this.media = new MediaResource(client)
    this.calendarFeeds = new CalendarFeedsResource(client)
    this.health = new HealthResource(client)
  }
}
