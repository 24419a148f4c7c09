import type { Space } from '@vacancy/client'

import type { FieldReader } from '../../components/read-fields.ts'

export const draftOf = (space: Space) => ({
  name: space.name,
  status: space.status as string,
  address: space.address ?? '',
  zip: space.zip ?? '',
  city: space.city ?? '',
  state: space.state ?? '',
  country: space.country ?? '',
  timezone: space.timezone,
  currency: space.currency,
  description: space.description ?? '',
  amenities: space.amenities.map((name) => name.replaceAll('_', ' ')).join(', '),
})

export type SpaceDraft = ReturnType<typeof draftOf>

/** A new space begins where another one is. */
export const emptyDraft = (like: Space | undefined): SpaceDraft => ({
  name: '',
  status: 'active',
  address: '',
  zip: '',
  city: like?.city ?? '',
  state: like?.state ?? '',
  country: like?.country ?? '',
  timezone: like?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  currency: like?.currency ?? 'eur',
  description: '',
  amenities: '',
})

export const bodyOf = (read: FieldReader, draft: SpaceDraft) => ({
  name: read.text('name'),
  status: draft.status as Space['status'],
  address: read.optionalText('address'),
  zip: read.optionalText('zip'),
  city: read.optionalText('city'),
  state: read.optionalText('state'),
  country: read.optionalText('country'),
  timezone: draft.timezone,
  currency: draft.currency,
  description: read.optionalText('description'),
  amenities: [...new Set(draft.amenities.split(',').map(amenityOf).filter(Boolean))],
})

/** `Free Wi-Fi` as the API names it: `free_wi_fi`. */
const amenityOf = (typed: string) =>
  typed
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
