/** The names of the operations in the client, from their methods and paths. */

export interface OperationName {
  /** Of the resource, as a member of `Vacancy`: `bookingConflicts`. */
  resource: string
  /** Of the method of the resource: `accept`. */
  method: string
  /** Of the operation, which needs no resource: `acceptBookingConflict`. */
  operation: string
}

/** `isList`: the response is a list of records. */
export function nameOperation(method: string, path: string, isList: boolean): OperationName {
  const [resource, verb] =
    irregular[`${method} ${path}`]?.split('.') ?? regularName(method, path.replace('/api/v1/', ''), isList)
  return { resource: resource!, method: verb!, operation: operationName(resource!, verb!) }
}

/** What the pattern of `regularName` does not fit: names of several words, and nouns that stand for a verb. */
const irregular: Record<string, string> = {
  'GET /api/v1/auth/session': 'session.get',
  'GET /api/v1/auth/me': 'session.getUser',
  'POST /api/v1/auth/logout': 'session.end',
  'PATCH /api/v1/units': 'units.updateMany',
  'POST /api/v1/bookings/bulk': 'bookings.updateMany',
  'GET /api/v1/bookings.csv': 'bookings.export',
  'GET /api/v1/audit.csv': 'audit.export',
  'POST /api/v1/calendar': 'calendar.change',
  'GET /api/v1/sales-stops/preview': 'salesStops.preview',
  'GET /api/v1/notification-templates/preview': 'notificationTemplates.preview',
  'POST /api/v1/test/send-email': 'notifications.sendTest',
  'POST /api/v1/channel-targets/checks': 'channelTargets.check',
  'DELETE /api/v1/channel-targets/{id}/pause': 'channelTargets.resume',
  'DELETE /api/v1/channel-listings/{id}/pause': 'channelListings.resume',
  'POST /api/v1/booking-conflicts/{id}/acceptance': 'bookingConflicts.accept',
  'POST /api/v1/booking-conflicts/{id}/dismissal': 'bookingConflicts.dismiss',
  'POST /api/v1/calendar-feeds/{id}/decision': 'calendarFeeds.decide',
  'POST /api/v1/payment-intents/{id}/refunds': 'refunds.create',
  'POST /api/v1/webhook-endpoints/{id}/secret': 'webhookEndpoints.rotateSecret',
  'POST /api/v1/properties/{property_id}/media': 'media.upload',
  'GET /api/v1/sync/proof/{listingId}': 'sync.getProof',
  'GET /api/v1/sync/preview/{listingId}': 'sync.getPreview',
  'GET /api/v1/sync/status': 'sync.listStatuses',
  'GET /api/v1/sync/status/{listingId}': 'sync.getStatus',
  'GET /api/v1/sync/audit': 'sync.listAudit',
  'GET /api/v1/sync/stream': 'sync.stream',
  'POST /api/v1/sync/retries': 'sync.retry',
  'POST /api/v1/sync/replays': 'sync.replay',
  'GET /api/v1/sync/targets': 'sync.listTargets',
  'GET /api/v1/sync/targets/{targetId}': 'sync.getTarget',
  'GET /api/v1/sync/failures': 'sync.listFailures',
  'GET /api/v1/sync/failures/{id}/listings': 'sync.listFailureListings',
  'POST /api/v1/sync/failures/{id}/retry': 'sync.retryFailure',
  'POST /api/v1/connectors/pms/sync': 'sync.triggerProperty',
  'GET /api/v1/admin/analytics': 'analytics.get',
  'GET /api/v1/search': 'search.query',
  'GET /api/v1/events/stream': 'events.stream',
  'GET /media/{organization}/{file}': 'media.download',
  'GET /calendars/{token}.ics': 'calendarFeeds.download',
  'GET /exports/{token}.tar': 'exports.download',
  'POST /api/v1/exports/{id}/download': 'exports.createDownload',
  'GET /health': 'health.get',
  'GET /health/ready': 'health.getReadiness',
  'GET /metrics': 'health.getMetrics',
}

const verbs: Record<string, string> = {
  GET: 'get',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
}

/** `resource`, `resource/{id}`, `resource/verb`, `resource/{id}/verb` or `resource/{id}/noun`. */
function regularName(method: string, path: string, isList: boolean): [string, string] {
  const [resource = '', ...rest] = path.split('/').filter((part) => !part.startsWith('{'))
  const verb = isList && method === 'GET' ? 'list' : verbs[method]!
  if (rest.length === 0) return [camelCase(resource), verb]
  const last = camelCase(rest.join('-'))
  return [camelCase(resource), method === 'POST' ? last : verb + capitalize(last)]
}

/** `units.list` is `listUnits`, `units.get` is `getUnit`, `channelTargets.getPreflight` is `getChannelTargetPreflight`. */
function operationName(resource: string, method: string): string {
  const [, verb = '', object = ''] = /^([a-z]+)(.*)$/.exec(method)!
  if (object === 'Many' || (object === '' && ['list', 'export', 'stream'].includes(verb)))
    return verb + capitalize(resource)
  return verb + capitalize(singular(resource)) + object
}

const neverPlural = /^(notificationPreferences|rateLimits|analytics)$/
const singular = (name: string): string =>
  neverPlural.test(name) ? name : name.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')

const camelCase = (text: string): string =>
  text.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
