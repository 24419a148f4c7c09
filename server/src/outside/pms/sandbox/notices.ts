import { kindIn, nameIn, namesIn, objectIn, timeIn, type NoticeReader } from '../pms-notice.ts'

/** The form that Standard Webhooks recommends: `{id, type, timestamp, data}`. Every sender may use it. */
export const sandboxNotices: NoticeReader = {
  knows: () => true,
  read(body) {
    const data = objectIn(body['data'])
    return {
      kind: kindIn(body['type'] ?? body['event'] ?? body['event_type']),
      id: nameIn(body['id']),
      occurredAt: timeIn(body['timestamp']),
      properties: namesIn(body['property_id'], data['property_id']),
      listings: namesIn(data['unit_external_id']),
      pmsAccount: null,
    }
  },
  proves: null,
}
