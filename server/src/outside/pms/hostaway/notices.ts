import { createHash, timingSafeEqual } from 'node:crypto'
import { kindIn, nameIn, namesIn, objectIn, timeIn, type NoticeReader } from '../pms-notice.ts'

const kinds: Readonly<Record<string, string>> = {
  'reservation.created': 'booking.created',
  'reservation.updated': 'booking.updated',
  'reservation.cancelled': 'booking.cancelled',
  'listing.updated': 'unit.updated',
  'listing.deleted': 'unit.deleted',
}

/** `{object, event, accountId, data}`; copies come, and in any order, without a name of their own. */
export const hostawayNotices: NoticeReader = {
  knows: (body) => typeof body['event'] === 'string' && 'accountId' in body,
  read(body) {
    const data = objectIn(body['data'])
    const event = kindIn(body['event'] ?? body['type'])
    return {
      kind: kinds[event] ?? event,
      id: null,
      occurredAt: timeIn(data['latestActivityOn']) ?? timeIn(data['updatedOn']),
      properties: [],
      listings: namesIn(data['listingMapId'], body['listingMapId']),
      pmsAccount: nameIn(body['accountId']),
    }
  },
  /** Basic authentication: the secret is the password that the webhook was registered with, the login any. */
  proves(headers, secret) {
    const [, base64 = ''] = /^Basic +([\w+/-]+=*)$/i.exec(String(headers['authorization'] ?? '')) ?? []
    const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(base64, 'base64').toString()) ?? []
    return sameText(password, secret)
  },
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const sameText = (one: string, other: string) => timingSafeEqual(digest(one), digest(other))
