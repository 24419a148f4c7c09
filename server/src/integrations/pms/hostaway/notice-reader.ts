import { parseKind, parseName, parseNames, asObject, parseTime, type NoticeReader } from '../pms-notice.ts'
import { areSecretsEqual } from '#secrets/compare.ts'

const kinds: Readonly<Record<string, string>> = {
  'reservation.created': 'booking.created',
  'reservation.updated': 'booking.updated',
  'reservation.cancelled': 'booking.cancelled',
  'listing.updated': 'unit.updated',
  'listing.deleted': 'unit.deleted',
}

/** `{object, event, accountId, data}`, without an id; messages may arrive twice and in any order. */
export const hostawayNoticeReader: NoticeReader = {
  matches: (body) => typeof body['event'] === 'string' && 'accountId' in body,
  parse(body) {
    const data = asObject(body['data'])
    const event = parseKind(body['event'] ?? body['type'])
    return {
      kind: kinds[event] ?? event,
      id: null,
      occurredAt: parseTime(data['latestActivityOn']) ?? parseTime(data['updatedOn']),
      properties: [],
      listings: parseNames(data['listingMapId'], body['listingMapId']),
      pmsAccount: parseName(body['accountId']),
    }
  },
  /** Basic authentication, where the secret is the password and the login may be anything. */
  verify(headers, secret) {
    const [, base64 = ''] = /^Basic +([\w+/-]+=*)$/i.exec(String(headers['authorization'] ?? '')) ?? []
    const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(base64, 'base64').toString()) ?? []
    return areSecretsEqual(password, secret)
  },
}
