import { Type } from 'typebox'
import { Id, oneOf, stamped, text } from '#fields.ts'

export const accountTypes = ['operator', 'owner', 'agency', 'sandbox'] as const

/** A part of an organization: its own business, an owner whose stock it manages, an agency. */
export const Account = Type.Object(
  { id: Id, org_id: Id, name: text(255), type: oneOf(...accountTypes), ...stamped },
  { title: 'Account' },
)
