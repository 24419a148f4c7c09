import { problemType, requestProblems, uploadProblems, type ProblemType } from './request-problems.ts'

/** Every type of problem that the API returns. The page behind each `type` link shows its entry. */
export const problemTypes = {
  ...requestProblems,
  ...uploadProblems,
  'price-below-minimum': problemType(
    422,
    'A price is below the minimum of the unit',
    'A night or a whole stay would be sold for less than the `min_price_cents` of the unit.',
    'Read `errors` and `nights`. Set a higher price, or lower the minimum of the unit.',
  ),
  'validation-error': problemType(
    400,
    'The request is not valid',
    'A member is missing, unknown, of the wrong type or out of range.',
    'Read `errors`: each entry points to one member and says what it must be.',
  ),
  'malformed-json': problemType(
    400,
    'The body is not valid JSON',
    'The body is not valid UTF-8 or JSON, is nested too deeply, or contains characters that cannot be stored.',
    'Send one JSON object with at most 32 levels, without U+0000 and without unpaired surrogates.',
  ),
  'invalid-cursor': problemType(
    400,
    'The cursor is not valid',
    'The cursor was altered, or belongs to another list or other filters.',
    'Start again without a cursor, and use the same filters and sort for every page.',
  ),
  unauthorized: problemType(
    401,
    'The access token is missing or not valid',
    'There is no bearer token, or it is expired, signed out, for another audience, or signed with an unknown key.',
    'Sign in again and send `Authorization: Bearer <token>`.',
  ),
  'invalid-signature': problemType(
    401,
    'The signature of the message is not valid',
    'The signature or secret of the webhook is missing, wrong, or more than five minutes old.',
    'Sign the exact bytes that you send with the secret that is configured here.',
  ),
  forbidden: problemType(
    403,
    'You do not have permission',
    'The token is valid, but its permissions do not include this operation, or its organization is unknown here.',
    'Ask an owner of your organization for the permission named in `detail`.',
  ),
  'admin-required': problemType(
    403,
    'Only an admin may do this',
    'The operation is for owners and admins of the organization.',
    'Ask an owner or admin to do it.',
  ),
  'identity-conflict': problemType(
    403,
    'The e-mail address belongs to another identity',
    'A member with this e-mail address has signed in before with another subject or another issuer.',
    'Ask an owner of your organization. If your account at the identity provider is new, the membership can be moved to it.',
  ),
  'not-found': problemType(
    404,
    'There is no such record',
    'The id is unknown, was deleted, or belongs to another organization.',
    'Check the id. List the collection to see which records exist.',
  ),
  'no-such-path': problemType(
    404,
    'The path does not exist',
    'The path is not part of the API.',
    'See /docs for all paths.',
  ),
  'booking-conflict': problemType(
    409,
    'No room is available for this stay',
    'On at least one night, all rooms of the unit are booked or blocked.',
    'See `conflicts` for what takes the rooms, and `alternatives` for units that are available.',
  ),
  'booking-ended': problemType(
    409,
    'The booking has ended',
    'A booking that was cancelled, declined or has expired, or whose stay is over, cannot be changed.',
    'Create a new booking.',
  ),
  'quote-expired': problemType(
    409,
    'The quote has expired',
    'The quote is past its expiry, or what it was calculated from no longer exists.',
    'Request a new quote.',
  ),
  'quote-used': problemType(
    409,
    'The quote was already used',
    'Another booking was made with this quote.',
    'Request a new quote.',
  ),
  'duplicate-mapping': problemType(
    409,
    'The mapping already exists',
    'The unit is already linked to the target, or the external id is already used there. Two units on one room would be oversold.',
    'Change the existing listing, or choose another external id.',
  ),
  'already-exists': problemType(
    409,
    'The record already exists',
    'Another record has a value that must be unique.',
    'Change the existing record, or choose another value.',
  ),
  'limit-reached': problemType(
    409,
    'The maximum number of records is reached',
    'The number of these records per organization is limited.',
    'Delete a record that is no longer needed, or ask the operator to raise the limit.',
  ),
  'resource-in-use': problemType(
    409,
    'The record is in use',
    'Other records refer to this one.',
    'Remove or move the records that refer to it first, or archive it instead.',
  ),
  'resource-archived': problemType(
    409,
    'The record is archived',
    'An archived record can only be read or restored.',
    'Set its status to `inactive` first.',
  ),
  'invalid-status-transition': problemType(
    409,
    'The status cannot change like this',
    'The record cannot change from its current status to the new one.',
    'See the statuses in the description of the resource.',
  ),
  'listing-paused': problemType(
    409,
    'The listing is paused',
    'Nothing is pushed for a paused listing.',
    'Resume the listing, then trigger the sync.',
  ),
  'target-inactive': problemType(
    409,
    'The channel target is inactive',
    'Nothing is pushed to an inactive target.',
    'Activate the target, then trigger the sync.',
  ),
  'endpoint-disabled': problemType(
    409,
    'The webhook endpoint is disabled',
    'Nothing is sent to a disabled endpoint.',
    'Set its status to `active`, then repeat the request.',
  ),
  'not-failed': problemType(
    409,
    'The listing has not failed',
    'Only listings that have failed with the given cause can be retried.',
    'Check its status. To push it anyway, trigger the sync.',
  ),
  'pms-refused': problemType(
    409,
    'The PMS rejected the request',
    'The PMS does not accept the credentials, does not know the property, or rejects the request.',
    'Read `detail` and `hint`, and correct the configuration of the channel target.',
  ),
  'dates-unavailable': problemType(
    409,
    'The stay is not available',
    'On some nights no room is available, or the restrictions of the calendar do not allow the stay.',
    'Read `reasons`: each names a day, the restriction and its limit.',
  ),
  'unit-not-bookable': problemType(
    409,
    'The unit cannot be booked',
    'The unit, its space or the rate plan is not active, or a charge is in another currency than the unit.',
    'Choose another unit or rate plan, or activate this one.',
  ),
  'idempotency-in-progress': problemType(
    409,
    'The first request with this key is still running',
    'Two requests with the same Idempotency-Key arrived at the same time.',
    'Repeat it after the seconds in `Retry-After` to get the response of the first request.',
  ),
  conflict: problemType(
    409,
    'The change conflicts with another one',
    'The same records were changed by another request at the same time.',
    'Repeat the request.',
  ),
  'precondition-failed': problemType(
    412,
    'The record has changed',
    'The ETag in `If-Match` is not the current one.',
    'Read the record again, apply your change, and send the new ETag.',
  ),
  'semantic-error': problemType(
    422,
    'The values contradict each other',
    'The request is well-formed, but a value contradicts another value or stored data.',
    'Read `errors`.',
  ),
  'stay-in-the-past': problemType(
    422,
    'The stay is in the past',
    'The day of arrival is over in the time zone of the space.',
    'Correct the arrival. To import bookings from another system, use a token with the permission `bookings:import`.',
  ),
  'reference-not-found': problemType(
    422,
    'A referenced record does not exist',
    'An id in the body belongs to no record that you can see.',
    'Read `errors`, and check the id.',
  ),
  'idempotency-key-reused': problemType(
    422,
    'The key was used for another request',
    'An Idempotency-Key stands for one request, and the body differs from the first one.',
    'Use a new key for a new request.',
  ),
  'internal-error': problemType(
    500,
    'Something went wrong on our side',
    'An unexpected error occurred. It was logged with the request id.',
    'Repeat the request. If it fails again, report the request id.',
  ),
  unavailable: problemType(
    503,
    'The service is temporarily unavailable',
    'The database or the identity provider does not respond.',
    'Repeat the request after the seconds in `Retry-After`.',
  ),
  'pms-unavailable': problemType(
    503,
    'The PMS is temporarily unavailable',
    'The PMS does not respond, has an outage, or accepts no more calls at the moment.',
    'Repeat the request after the seconds in `Retry-After`.',
  ),
} as const satisfies Record<string, ProblemType>

export type ProblemCode = keyof typeof problemTypes
export const problemTypeOf = (code: string): ProblemType =>
  (problemTypes as Record<string, ProblemType>)[code] ?? problemTypes['internal-error']
