import { kind, type Kind } from './kind.ts'
import { requestKinds } from './request-kinds.ts'
import { stayKinds } from './stay-kinds.ts'
import { uploadKinds } from './upload-kinds.ts'

/** Every kind of problem that the API answers with: the page behind each `type` link is made from this list. */
export const catalogue = {
  ...requestKinds,
  ...stayKinds,
  ...uploadKinds,
  'validation-error': kind(
    400,
    'The request does not have the expected form',
    'A member is missing, unknown, of the wrong type or out of range.',
    'Read `errors`: each entry points at one member and says what it must be.',
  ),
  'malformed-json': kind(
    400,
    'The body is not usable JSON',
    'The body is not valid UTF-8 or JSON, is nested too deeply, or holds characters that cannot be stored.',
    'Send one JSON object with at most 32 levels, without U+0000 and without lone surrogates.',
  ),
  'invalid-cursor': kind(
    400,
    'The cursor is not one of ours',
    'The cursor was altered, belongs to another list, or to other filters.',
    'Start again without a cursor, and keep filters and sort the same from page to page.',
  ),
  unauthorized: kind(
    401,
    'The access token is missing or not valid',
    'No bearer token, or one that is expired, signed out, for another audience, or signed by an unknown key.',
    'Sign in again and send `Authorization: Bearer <token>`.',
  ),
  'invalid-signature': kind(
    401,
    'The message does not prove who sent it',
    'The signature or the secret of the webhook is missing, wrong, or more than five minutes old.',
    'Sign the bytes that you send with the secret that is configured here, and send them unchanged.',
  ),
  forbidden: kind(
    403,
    'You may not do this',
    'The token is valid, but its permissions do not include this operation, or it names no organization known here.',
    'Ask an owner of your organization for the permission named in `detail`.',
  ),
  'admin-required': kind(
    403,
    'Only an admin may do this',
    'The operation is for owners and admins of the organization.',
    'Ask an owner or admin to do it.',
  ),
  'identity-conflict': kind(
    403,
    'The e-mail address belongs to another identity',
    'A member with this e-mail address has signed in before as somebody else: another subject, or at another issuer.',
    'Ask an owner of your organization. If the account at the identity provider is new, the membership can be given to it.',
  ),
  'not-found': kind(
    404,
    'There is no such record',
    'The id is unknown, was deleted, or belongs to another organization.',
    'Check the id; list the collection to see what exists.',
  ),
  'no-such-path': kind(
    404,
    'There is nothing at this path',
    'The path is not part of the API.',
    'See /docs for every path.',
  ),
  'booking-conflict': kind(
    409,
    'No room is free for this stay',
    'On at least one of the nights, the rooms of the unit are booked or blocked.',
    'See `conflicts` for who has them, and `alternatives` for units that are free.',
  ),
  'booking-ended': kind(
    409,
    'The booking has ended',
    'The stay of a booking that was cancelled, declined, expired or is over cannot be changed.',
    'Make a new booking.',
  ),
  'quote-expired': kind(
    409,
    'The quote is no longer good',
    'Its time is over, or what it was made from is gone.',
    'Ask for a new quote.',
  ),
  'quote-used': kind(
    409,
    'The quote was used already',
    'Another booking has taken its price.',
    'Ask for a new quote.',
  ),
  'duplicate-mapping': kind(
    409,
    'This link exists already',
    'The unit is already linked to the target, or the external id is already used there: two units on one room would oversell it.',
    'Change the existing listing, or choose another external id.',
  ),
  'already-exists': kind(
    409,
    'It exists already',
    'Another record holds a value that must be unique.',
    'Change the existing record, or choose another value.',
  ),
  'limit-reached': kind(
    409,
    'There are as many as there may be',
    'The number of these records is limited, so that none of them waits for the others.',
    'Remove one that is no longer needed, or ask the operator to raise the limit.',
  ),
  'resource-in-use': kind(
    409,
    'Something still depends on it',
    'Records that refer to this one would be left without it.',
    'Remove or move what depends on it first, or archive it instead.',
  ),
  'resource-archived': kind(
    409,
    'The record is archived',
    'An archived record can only be read or brought back.',
    'Set its status to `inactive` first.',
  ),
  'invalid-status-transition': kind(
    409,
    'The status cannot change like this',
    'The states do not follow each other.',
    'See the states in the description of the resource.',
  ),
  'listing-paused': kind(
    409,
    'The listing is paused',
    'Nothing is pushed for a paused listing.',
    'Resume the listing, then trigger the sync.',
  ),
  'target-inactive': kind(
    409,
    'The channel target is switched off',
    'Nothing is pushed to an inactive target.',
    'Activate the target, then trigger the sync.',
  ),
  'endpoint-disabled': kind(
    409,
    'The webhook endpoint is switched off',
    'Nothing is sent to an endpoint that is disabled.',
    'Set its status to `active`, then send the request again.',
  ),
  'not-failed': kind(
    409,
    'The listing has not failed',
    'Only what has failed, and with the cause that was named, can be tried again.',
    'See its status; to send it all the same, trigger the sync.',
  ),
  'pms-refused': kind(
    409,
    'The PMS says no',
    'The PMS does not accept the credentials, does not know the property, or refuses what it was asked.',
    'Read `detail` and `hint`, and correct the configuration of the channel target.',
  ),
  'dates-unavailable': kind(
    409,
    'The stay cannot be sold',
    'On some of its nights no room is free, or the calendar does not allow it.',
    'Read `reasons`: each names a day, what stands against the stay there, and the number that it must keep.',
  ),
  'unit-not-bookable': kind(
    409,
    'The unit is not sold',
    'The unit, its space or the rate plan is not active, or a charge is in another currency than the unit.',
    'Choose another unit or plan, or make this one active.',
  ),
  'idempotency-in-progress': kind(
    409,
    'The first request with this key is still running',
    'Two requests with the same Idempotency-Key arrived together.',
    'Repeat it after the seconds in `Retry-After`: you get the answer of the first.',
  ),
  conflict: kind(
    409,
    'The change conflicts with another one',
    'Another change to the same records was made at the same moment.',
    'Repeat the request.',
  ),
  'precondition-failed': kind(
    412,
    'The record has changed',
    'The ETag in `If-Match` is not the current one.',
    'Read the record again, apply your change, and send the new ETag.',
  ),
  'semantic-error': kind(
    422,
    'The values do not fit together',
    'The message is well formed, but a value contradicts another one or what is stored.',
    'Read `errors`.',
  ),
  'stay-in-the-past': kind(
    422,
    'The stay is in the past',
    'It arrives on a day that is over where the space is.',
    'Correct the arrival. To bring over bookings of another system, use a token that names `bookings:import`.',
  ),
  'reference-not-found': kind(
    422,
    'A reference names nothing',
    'An id inside the body names no record that you can see.',
    'Read `errors`, and check the id.',
  ),
  'idempotency-key-reused': kind(
    422,
    'The key was used for another request',
    'An Idempotency-Key stands for one request; the body differs from the first one.',
    'Use a new key for a new request.',
  ),
  'internal-error': kind(
    500,
    'Something went wrong on our side',
    'An error that we did not foresee. It has been logged under the request id.',
    'Repeat the request; if it stays, report the request id.',
  ),
  unavailable: kind(
    503,
    'A part of the service is away',
    'The database or the identity provider does not answer.',
    'Repeat the request after the seconds in `Retry-After`.',
  ),
  'pms-unavailable': kind(
    503,
    'The PMS cannot be asked now',
    'The PMS does not answer, is out of order, or allows no more calls for the moment.',
    'Repeat the request after the seconds in `Retry-After`.',
  ),
} as const satisfies Record<string, Kind>

export type Code = keyof typeof catalogue
export const kindOf = (code: string): Kind =>
  (catalogue as Record<string, Kind>)[code] ?? catalogue['internal-error']
