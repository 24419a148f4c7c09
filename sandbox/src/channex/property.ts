import { randomUUID } from 'node:crypto'
import {
  address,
  cast,
  currency,
  degrees,
  flag,
  isObject,
  list,
  matching,
  oneOf,
  text,
  timezone,
  whole,
} from './checks.ts'
import type { Check, Fields, Given } from './checks.ts'
import { content, withPhotos, type Content } from './content.ts'

export type Settings = {
  allow_availability_autoupdate_on_confirmation: boolean
  allow_availability_autoupdate_on_modification: boolean
  allow_availability_autoupdate_on_cancellation: boolean
  min_stay_type: 'both' | 'arrival' | 'through'
  /** How many days from today the calendar holds. */
  state_length: number
}

export type Property = {
  id: string
  title: string
  currency: string
  timezone: string | null
  is_active: boolean
  content: Content
  settings: Settings
}

const propertyTypes =
  'apart_hotel apartment boat camping capsule_hotel chalet country_house farm_stay guest_house holiday_home ' +
  'holiday_park homestay hostel hotel inn lodge motel resort riad ryokan tent villa'

const settingChecks: Record<keyof Settings, Check> = {
  allow_availability_autoupdate_on_confirmation: flag,
  allow_availability_autoupdate_on_modification: flag,
  allow_availability_autoupdate_on_cancellation: flag,
  min_stay_type: oneOf('both', 'arrival', 'through'),
  state_length: whole(100, 730),
}

const settings: Check = (value) =>
  isObject(value) &&
  Object.entries(settingChecks).every(([name, check]) => value[name] === undefined || !check(value[name]))
    ? undefined
    : 'is invalid'

const fields: Fields = {
  title: { check: text(255), required: true },
  currency: { check: currency, required: true },
  is_active: { check: flag, fallback: true },
  email: { check: matching(/^[^@\s]+@[^@\s]+$/) },
  phone: { check: text(32) },
  zip_code: { check: text(32) },
  country: { check: matching(/^[A-Z]{2}$/) },
  state: { check: text(255) },
  city: { check: text(255) },
  address: { check: text(255) },
  longitude: { check: degrees(180) },
  latitude: { check: degrees(90) },
  timezone: { check: timezone },
  property_type: { check: oneOf(...propertyTypes.split(' ')) },
  facilities: { check: list, fallback: [] },
  settings: { check: settings, fallback: {} },
  content: { check: content, fallback: {} },
  logo_url: { check: address },
  website: { check: address },
}

const defaultSettings: Settings = {
  allow_availability_autoupdate_on_confirmation: true,
  allow_availability_autoupdate_on_modification: false,
  allow_availability_autoupdate_on_cancellation: false,
  min_stay_type: 'both',
  state_length: 500,
}

export function readProperty(
  given: Given,
  before?: Property,
  id: string = before?.id ?? randomUUID(),
): Property {
  const attributes = cast(given, fields, before)
  return {
    ...attributes,
    id,
    settings: { ...defaultSettings, ...before?.settings, ...(attributes['settings'] as Given) },
    content: withPhotos(attributes['content'] as Given, before?.content, {
      property_id: id,
      room_type_id: null,
    }),
  } as Property
}

export function showProperty({ id, ...attributes }: Property) {
  return {
    type: 'property',
    id,
    attributes: { id, ...attributes, acc_channels_count: 0 },
    relationships: { groups: { data: [] }, facilities: { data: [] } },
  }
}
