import { createSecretKey, hkdfSync, randomUUID, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Config } from '#config/config.ts'
import type { Listener } from '#db/listen.ts'
import { events } from '#telemetry/log.ts'
import { memberRoutes, accountRoutes, organizationRoutes } from '#features/tenancy/organizations/routes.ts'
import { alertRoutes } from '#features/messaging/alerts/routes.ts'
import { agentRoutes } from '#features/operations/agents/routes.ts'
import { analyticsRoutes } from '#features/operations/analytics/routes.ts'
import { availabilityRoutes } from '#features/reservations/availability/routes.ts'
import { bulkBookingRoutes } from '#features/reservations/bookings/bulk-routes.ts'
import { bookingCsvRoutes } from '#features/reservations/bookings/csv-routes.ts'
import { bookingPreviewRoutes } from '#features/reservations/bookings/preview-routes.ts'
import { bookingRoutes } from '#features/reservations/bookings/routes.ts'
import { calendarFeedRoutes, openCalendarRoutes } from '#features/distribution/calendar-feeds/routes.ts'
import { calendarChangeRoutes } from '#features/inventory/calendar/change-routes.ts'
import { calendarRoutes } from '#features/inventory/calendar/routes.ts'
import { calendarTileRoutes } from '#features/inventory/calendar/tile-routes.ts'
import { channelListingRoutes } from '#features/distribution/channel-listings/routes.ts'
import { channelTargetRoutes } from '#features/distribution/channel-targets/routes.ts'
import { chargeRoutes } from '#features/inventory/charges/routes.ts'
import { eventRoutes } from '#features/messaging/events/routes.ts'
import { createChangeHub } from '#features/messaging/events/changed-records.ts'
import { liveRoutes } from '#features/messaging/live/routes.ts'
import { guestRoutes } from '#features/reservations/guests/routes.ts'
import { buildHealthChecks } from '#features/operations/health/checks.ts'
import { healthRoutes } from '#features/operations/health/routes.ts'
import { fileImportRoutes } from '#features/operations/file-imports/routes.ts'
import { openDownloadTokens } from '#features/operations/organization-export/download-tokens.ts'
import { exportFileRoutes, exportRoutes } from '#features/operations/organization-export/routes.ts'
import { importRoutes } from '#features/distribution/imports/routes.ts'
import { linkingRoutes } from '#features/distribution/linking/routes.ts'
import { auditLogRoutes } from '#features/operations/audit-log/routes.ts'
import { searchRoutes } from '#features/operations/search/routes.ts'
import { todayRoutes } from '#features/operations/today/routes.ts'
import { timelineRoutes } from '#features/operations/timeline/routes.ts'
import { metricsRoutes } from '#features/operations/metrics/routes.ts'
import { mediaFileRoutes } from '#features/inventory/media/file-routes.ts'
import { mediaRoutes } from '#features/inventory/media/routes.ts'
import { notificationRoutes } from '#features/messaging/notifications/routes.ts'
import { quoteRoutes } from '#features/reservations/quotes/routes.ts'
import { paymentNoticeRoutes } from '#features/reservations/payments/notice-routes.ts'
import { refundRoutes } from '#features/reservations/payments/refund-routes.ts'
import { paymentTotalRoutes } from '#features/reservations/payments/totals-routes.ts'
import { cancellationRoutes } from '#features/reservations/payments/cancellation-routes.ts'
import { paymentRoutes } from '#features/reservations/payments/routes.ts'
import { ratePlanRoutes } from '#features/inventory/rate-plans/routes.ts'
import { salesStopRoutes } from '#features/inventory/sales-stops/routes.ts'
import { openTokenAuthenticator } from '#features/tenancy/session/authenticate-token.ts'
import { openIdentityConflictReports } from '#features/tenancy/session/report-identity-conflict.ts'
import { rateLimitRoutes } from '#features/tenancy/rate-limits/routes.ts'
import { sessionRoutes } from '#features/tenancy/session/routes.ts'
import { seasonRoutes } from '#features/inventory/seasons/routes.ts'
import { spaceRoutes } from '#features/inventory/spaces/routes.ts'
import { createStatusHub, readStatuses } from '#features/distribution/sync/api/statuses.ts'
import { bookingConflictRoutes } from '#features/distribution/pms-bookings/routes.ts'
import { pmsInboxRoutes, webhookMessageRoutes } from '#features/distribution/pms-messages/routes.ts'
import { cacheTargetOwners } from '#features/distribution/pms-messages/target-owners.ts'
import { proofRoutes } from '#features/distribution/sync/api/proof-routes.ts'
import { bulkSyncRoutes } from '#features/distribution/sync/api/bulk-sync-routes.ts'
import { syncFailureRoutes } from '#features/distribution/sync/api/failure-routes.ts'
import { syncRoutes } from '#features/distribution/sync/api/status-routes.ts'
import { bulkUnitRoutes } from '#features/inventory/units/bulk-routes.ts'
import { unitRoutes } from '#features/inventory/units/routes.ts'
import { webhookDeliveryRoutes } from '#features/messaging/webhooks/delivery-routes.ts'
import { describeWebhooks } from '#features/messaging/webhooks/event-payloads.ts'
import { webhookEndpointRoutes } from '#features/messaging/webhooks/routes.ts'
import { authenticate, authorize, markInternalRequests } from '#http/authenticate.ts'
import { announceDeprecations } from '#http/deprecation.ts'
import { limitCloseTime } from '#http/shutdown.ts'
import { compressResponses, setSecurityHeaders } from '#http/response-headers.ts'
import { registerOpenApi } from '#http/openapi.ts'
import { parseJsonBodies } from '#http/json-body.ts'
import {
  answerUnparsableRequests,
  rejectAmbiguousRequests,
  serverTimeouts,
  enforceBodyTimeouts,
} from '#http/request-guards.ts'
import { handleErrors } from '#http/problems.ts'
import { servePages } from '#http/pages.ts'
import { rejectUnexpectedBodies, rejectUnknownParameters, setValidator } from '#http/validation.ts'
import { disableRateLimits, enforceRateLimits } from '#http/rate-limits.ts'
import { traceRequests } from '#http/tracing.ts'
import type { Resources } from '#resources.ts'
import { version } from '#process/version.ts'

/** The HTTP server: one line per feature. */
export async function openApp(resources: Resources): Promise<FastifyInstance> {
  const { config, database, identity, vault, egress, storage } = resources
  const { publicUrl, timeouts } = config.http
  let listener: Listener | undefined
  const receivesNotifications = () => listener?.isReceiving() ?? true
  const recognized = openTokenAuthenticator(
    database,
    identity,
    openIdentityConflictReports(database),
    receivesNotifications,
  )
  const live = createStatusHub((orgId, ids) => readStatuses(database, orgId, ids))
  const changes = createChangeHub()
  const connections = { pms: resources.pms, vault, timeoutMs: config.pms.timeoutMs }
  const cursorKeys = config.secrets.keys.map(({ bytes }) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', 'cursor', 32))),
  ) as [KeyObject, ...KeyObject[]]
  const downloads = { tokens: openDownloadTokens(config.secrets.keys), publicUrl }

  const app: FastifyInstance = Fastify({
    bodyLimit: 1_048_576,
    ...serverTimeouts(timeouts),
    trustProxy: trustedProxies(config.http.trustProxy),
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 256, ignoreTrailingSlash: true, caseSensitive: true },
    clientErrorHandler: answerUnparsableRequests(publicUrl),
    frameworkErrors: (error, request, reply) => app.errorHandler(error, request, reply as never),
  })
  app.server.maxConnections = config.http.maxConnections
  limitCloseTime(app, () => database.disconnect())
  parseJsonBodies(app)
  setValidator(app)
  app.setSerializerCompiler(() => JSON.stringify)
  handleErrors(app, publicUrl)
  traceRequests(app)
  await setSecurityHeaders(app, config)
  await compressResponses(app)
  rejectAmbiguousRequests(app, publicUrl)
  enforceBodyTimeouts(app, publicUrl, timeouts)
  await registerOpenApi(app, version, describeWebhooks())
  authenticate(app, { database, readDatabase: resources.readDatabase }, recognized.authenticate)
  markInternalRequests(app, config.http.internalTokens)
  const targetOwner = cacheTargetOwners(database)
  if (config.http.limitsRates) enforceRateLimits(app, { counters: resources.counters, targetOwner })
  else disableRateLimits(app)
  authorize(app)
  rejectUnknownParameters(app)
  rejectUnexpectedBodies(app)
  announceDeprecations(app)

  await app.register(
    async (v1) => {
      await v1.register(sessionRoutes(recognized))
      await v1.register(rateLimitRoutes(config.http.limitsRates ? resources.counters : null))
      await v1.register(organizationRoutes(cursorKeys))
      await v1.register(accountRoutes(cursorKeys))
      await v1.register(memberRoutes(cursorKeys))
      await v1.register(spaceRoutes(cursorKeys))
      await v1.register(unitRoutes(cursorKeys))
      await v1.register(bulkUnitRoutes)
      await v1.register(ratePlanRoutes(cursorKeys))
      await v1.register(chargeRoutes(cursorKeys))
      await v1.register(calendarRoutes)
      await v1.register(calendarTileRoutes(cursorKeys))
      await v1.register(calendarChangeRoutes(cursorKeys))
      await v1.register(seasonRoutes(cursorKeys))
      await v1.register(bookingRoutes(cursorKeys))
      await v1.register(bulkBookingRoutes)
      await v1.register(bookingCsvRoutes)
      await v1.register(bookingPreviewRoutes)
      await v1.register(cancellationRoutes)
      await v1.register(guestRoutes({ cursorKeys, vault, key: config.secrets.keys[0]! }))
      await v1.register(paymentRoutes({ cursorKeys, vault, payments: resources.payments }))
      await v1.register(paymentTotalRoutes)
      await v1.register(refundRoutes(cursorKeys, resources.payments))
      await v1.register(salesStopRoutes(cursorKeys))
      await v1.register(availabilityRoutes(cursorKeys))
      await v1.register(quoteRoutes(cursorKeys))
      await v1.register(channelTargetRoutes(cursorKeys, vault, egress))
      await v1.register(channelListingRoutes(cursorKeys))
      await v1.register(linkingRoutes(connections, egress))
      await v1.register(proofRoutes(connections))
      await v1.register(syncRoutes({ cursorKeys, live, recognize: recognized.authenticate }))
      await v1.register(bulkSyncRoutes({ cursorKeys, pms: resources.pms }))
      await v1.register(syncFailureRoutes(cursorKeys))
      await v1.register(alertRoutes(cursorKeys))
      await v1.register(analyticsRoutes)
      await v1.register(todayRoutes)
      await v1.register(timelineRoutes)
      await v1.register(searchRoutes)
      await v1.register(auditLogRoutes(cursorKeys))
      await v1.register(webhookMessageRoutes(cursorKeys))
      await v1.register(bookingConflictRoutes({ cursorKeys, pms: resources.pms }))
      await v1.register(notificationRoutes({ cursorKeys, limits: config.testMail, publicUrl }))
      await v1.register(eventRoutes(cursorKeys))
      await v1.register(liveRoutes({ changes, statuses: live, recognize: recognized.authenticate }))
      await v1.register(
        webhookEndpointRoutes({ cursorKeys, vault, egress, maxEndpoints: config.maxRecords.endpoints }),
      )
      await v1.register(webhookDeliveryRoutes(cursorKeys))
      await v1.register(importRoutes(cursorKeys))
      await v1.register(exportRoutes({ cursorKeys, ...downloads }))
      await v1.register(fileImportRoutes({ cursorKeys, uploads: join(config.home, 'uploads') }))
      await v1.register(
        mediaRoutes({
          cursorKeys,
          publicUrl,
          storage,
          uploads: join(config.home, 'uploads'),
          ...config.media,
        }),
      )
      await v1.register(
        calendarFeedRoutes({ cursorKeys, vault, egress, publicUrl, maxFeeds: config.maxRecords.feeds }),
      )
    },
    { prefix: '/api/v1' },
  )
  await app.register(mediaFileRoutes(storage, publicUrl))
  await app.register(exportFileRoutes({ database }, storage, downloads))
  await app.register(openCalendarRoutes({ database }, publicUrl))
  await app.register(
    pmsInboxRoutes({ database, targetOwner, vault, pms: resources.pms, ...config.pms.webhooks }),
  )
  await app.register(paymentNoticeRoutes({ database }, resources.payments))
  await app.register(healthRoutes(buildHealthChecks(resources, receivesNotifications), version, publicUrl))
  await app.register(metricsRoutes(resources, version))
  await app.register(
    agentRoutes({ secretKeys: config.secrets.keys, publicUrl, issuer: config.identity.issuer, version }),
  )
  await servePages(app, config)

  app.addHook('preClose', (done) => (live.end(), done()))
  app.addHook('onReady', async () => {
    const handlers = {
      sync: live.notified,
      changes: changes.notified,
      revoked: recognized.forget,
      members: (orgId: string) => {
        recognized.forgetMembers(orgId)
        live.recheck(orgId)
      },
    }
    // After missed notifications callers are read again from the database, and streams end so that clients reconnect.
    listener = await database.listen(handlers, () => {
      recognized.forgetMembers()
      live.end()
    })
  })
  app.addHook('onClose', async () => {
    await listener?.stop()
    events.stopped()
  })
  return app
}

/** The framework does not accept a number of trusted proxies, so the hops are counted here. */
const trustedProxies = (proxies: Config['http']['trustProxy']) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : proxies && [...proxies]
