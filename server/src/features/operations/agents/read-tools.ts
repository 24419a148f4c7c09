import { Type } from 'typebox'
import { Count, Day, Id, oneOf, text } from '#schema/fields.ts'
import { conflictStatuses } from '#features/distribution/pms-bookings/booking-conflict.ts'
import { unitStatuses } from '#features/inventory/units/unit.ts'
import { searchKinds } from '#features/operations/search/search.ts'
import { optional, type ReadTool } from './tool.ts'

const page = {
  limit: optional(Count(1, 50), 'Records per page.'),
  cursor: optional(text(2_048), '`next_cursor` of the previous page.'),
}
const unitId = optional(Id, 'Only this unit.')
const spaceId = optional(Id, 'Only this space (property).')
const ofRecord = (description: string) => ({ ...Id, description })
const day = (description: string) => ({ ...Day, description })

export const readTools: readonly ReadTool[] = [
  {
    name: 'get_today',
    title: 'Tasks of today',
    description:
      'Arrivals, departures, guests in house, unpaid stays, open booking conflicts and alerts, failing pushes by cause, and sales stops. Begin here when asked what needs attention.',
    path: '/today',
    input: { space_id: spaceId },
  },
  {
    name: 'search',
    title: 'Search',
    description:
      'Finds units, spaces, bookings, guests and listings by a part of a name, address, number or id.',
    path: '/search',
    input: {
      q: text(100, 'What to search for.', 2),
      kind: optional(oneOf(...searchKinds), 'Only this kind.'),
      limit: optional(Count(1, 20), 'Records per kind.'),
    },
  },
  {
    name: 'list_units',
    title: 'List units',
    description: 'Units with their space, capacity, default price and status.',
    path: '/units',
    input: {
      q: optional(text(255), 'Part of the name.'),
      space_id: spaceId,
      status: optional(oneOf(...unitStatuses), 'Only with this status.'),
      ...page,
    },
  },
  {
    name: 'get_unit',
    title: 'Read a unit',
    description: 'Everything about one unit.',
    path: '/units/{unit_id}',
    input: { unit_id: ofRecord('The unit.') },
  },
  {
    name: 'get_calendar',
    title: 'Read the calendar',
    description:
      'Prices, restrictions, free rooms, bookings and state at the PMS of units, night by night, for at most 400 nights.',
    path: '/calendar',
    input: {
      from: day('The first night.'),
      to: day('The last night.'),
      unit_id: unitId,
      space_id: spaceId,
      q: optional(text(255), 'Part of the name of the unit or space.'),
      ...page,
    },
  },
  {
    name: 'find_availability',
    title: 'Find free units',
    description: 'Units that can be booked for a whole stay, with the price of the stay.',
    path: '/availability',
    input: {
      from: day('The first night.'),
      to: day('The day of departure.'),
      guests: optional(Count(1, 10_000), 'Number of guests (1).'),
      rooms: optional(Count(1, 10_000), 'Equal rooms of one unit (1).'),
      place: optional(text(255), 'The beginning of a city, state, country or name of the space.'),
      unit_id: unitId,
      space_id: spaceId,
      ...page,
    },
  },
  {
    name: 'list_bookings',
    title: 'List bookings',
    description: 'Bookings by status, unit, arrival or departure.',
    path: '/bookings',
    input: {
      q: optional(text(255), 'Part of the name of the guest.'),
      status: optional(
        oneOf('pending', 'confirmed', 'checked_in', 'checked_out', 'cancelled', 'no_show'),
        'Only with this status.',
      ),
      unit_id: unitId,
      space_id: spaceId,
      check_in_from: optional(Day, 'Arrivals from this day.'),
      check_in_to: optional(Day, 'Arrivals until this day.'),
      unpaid: optional(Type.Boolean(), 'Only stays with an open amount.'),
      ...page,
    },
  },
  {
    name: 'get_booking',
    title: 'Read a booking',
    description: 'One booking with its stay, guest, price and channel.',
    path: '/bookings/{booking_id}',
    input: { booking_id: ofRecord('The booking.') },
  },
  {
    name: 'list_booking_conflicts',
    title: 'List booking conflicts',
    description:
      'Bookings of a channel that could not be applied here, with the reason and free alternatives.',
    path: '/booking-conflicts',
    input: { status: optional(oneOf(...conflictStatuses), 'Only with this status.'), ...page },
  },
  {
    name: 'list_sync_failures',
    title: 'List failing pushes',
    description: 'Why changes do not reach the PMS: failing listings, grouped by cause, with what to do.',
    path: '/sync/failures',
    input: { space_id: spaceId },
  },
  {
    name: 'compare_with_pms',
    title: 'Compare a listing with the PMS',
    description: 'What Vacancy wants the PMS to show, what the PMS accepted, and what it shows now.',
    path: '/sync/proof/{listing_id}',
    input: {
      listing_id: ofRecord('The channel listing.'),
      from: optional(Day, 'The first night.'),
      to: optional(Day, 'The last night.'),
    },
  },
  {
    name: 'get_analytics',
    title: 'Occupancy and revenue',
    description: 'Occupancy, average daily rate, revenue per available night and revenue by channel.',
    path: '/admin/analytics',
    input: {
      from: optional(Day, 'The first night; by default 30 nights before the end.'),
      to: optional(Day, 'The last night; by default today.'),
      unit_id: unitId,
      space_id: spaceId,
    },
  },
  {
    name: 'list_changes',
    title: 'List changes',
    description: 'Who changed what and when, with the values before and after.',
    path: '/audit',
    input: {
      q: optional(text(100), 'Text in the name of the record or of the person.'),
      record_id: optional(Id, 'Only changes of this record.'),
      from: optional(Day, 'The first day.'),
      to: optional(Day, 'The last day.'),
      ...page,
    },
  },
]
