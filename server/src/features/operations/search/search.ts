import { Type, type TSchema } from 'typebox'
import { Day, Id, nullable, oneOf, text } from '#schema/fields.ts'
import { bookingSources, bookingStatuses } from '#features/reservations/bookings/booking.ts'
import { unitStatuses } from '#features/inventory/units/unit.ts'

export const searchKinds = ['unit', 'space', 'booking', 'guest', 'listing'] as const
export type SearchKind = (typeof searchKinds)[number]

export const maxFound = 20
export const defaultFound = 5

const name = (description: string) => text(255, description)
const contact = (maxLength: number, description: string) =>
  nullable(
    text(maxLength, `${description} Null for readers without \`guest_contacts:read\` or \`bookings:write\`.`),
  )

const inUnit = { unit_id: Id, unit_name: name('Name of the unit.') }

const FoundUnit = Type.Object(
  {
    id: Id,
    name: name('Name of the unit.'),
    status: oneOf(...unitStatuses),
    space_id: Id,
    space_name: name('Name of the space.'),
  },
  { title: 'FoundUnit' },
)

const FoundSpace = Type.Object(
  {
    id: Id,
    name: name('Name of the space.'),
    city: nullable(text(255, 'City or town.')),
    status: oneOf('draft', 'active', 'inactive', 'archived'),
  },
  { title: 'FoundSpace' },
)

const FoundBooking = Type.Object(
  {
    id: Id,
    guest_name: name('Name of the guest.'),
    guest_email: contact(254, 'E-mail address of the guest.'),
    arrival: { ...Day, description: 'The first night, a local date of the space.' },
    departure: { ...Day, description: 'The day after the last night, a local date of the space.' },
    status: oneOf(...bookingStatuses),
    source: oneOf(...bookingSources),
    external_id: nullable(text(255, 'Its external id.')),
    ...inUnit,
    space_id: Id,
  },
  { title: 'FoundBooking' },
)

const FoundGuest = Type.Object(
  {
    name: name('Name of the guest.'),
    email: contact(254, 'E-mail address of the guest.'),
    phone: contact(64, 'Phone number of the guest.'),
    bookings: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      format: 'int32',
      description: 'How many bookings have the same e-mail address, or the same number where there is none.',
    }),
    last_booking_id: { ...Id, description: 'The found booking with the latest arrival.' },
    last_arrival: { ...Day, description: 'When it arrives.' },
  },
  { title: 'FoundGuest' },
)

const FoundListing = Type.Object(
  {
    id: Id,
    external_id: nullable(text(255, 'The id of the unit at the PMS.')),
    status: oneOf('pending', 'active', 'error', 'paused'),
    ...inUnit,
    channel_target_id: Id,
    channel_target_name: name('Name of the target.'),
  },
  { title: 'FoundListing' },
)

const found = (record: TSchema, description: string) =>
  Type.Unsafe<unknown>({
    ...Type.Array(record, { maxItems: maxFound }),
    nullable: true,
    description: `${description} The best first. Null when it was not asked for, or may not be read.`,
  })

export const Search = Type.Object(
  {
    units: found(FoundUnit, 'By name.'),
    spaces: found(FoundSpace, 'By name or address.'),
    bookings: found(FoundBooking, 'By name, e-mail address or phone number of the guest, or by external id.'),
    guests: found(FoundGuest, 'By name, e-mail address or phone number.'),
    listings: found(FoundListing, 'By the id at the PMS.'),
  },
  { title: 'Search' },
)
