import { hkdfSync, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import type { Listener } from './db/listen.ts'
import { events } from './events.ts'
import { accountRoutes } from './features/accounts/routes.ts'
import { alertRoutes } from './features/alerts/routes.ts'
import { analyticsRoutes } from './features/analytics/routes.ts'
import { availabilityRoutes } from './features/availability/routes.ts'
import { bookingRoutes } from './features/bookings/routes.ts'
import { calendarFeedRoutes, openCalendarRoutes } from './features/calendar-feeds/routes.ts'
import { calendarRoutes } from './features/calendar/routes.ts'
import { channelListingRoutes } from './features/channel-listings/routes.ts'
import { channelTargetRoutes } from './features/channel-targets/routes.ts'
import { chargeRoutes } from './features/charges/routes.ts'
import { eventRoutes } from './features/events/routes.ts'
import { guestRoutes } from './features/guests/routes.ts'
import { checksOf } from './features/health/checks.ts'
import { healthRoutes } from './features/health/routes.ts'
import { linkingRoutes } from './features/linking/routes.ts'
import { metricsRoutes } from './features/metrics/routes.ts'
import { mediaFileRoutes } from './features/media/file-routes.ts'
import { mediaRoutes } from './features/media/routes.ts'
import { notificationRoutes } from './features/notifications/routes.ts'
import { organizationRoutes } from './features/organizations/routes.ts'
import { quoteRoutes } from './features/quotes/routes.ts'
import { paymentNoticeRoutes } from './features/payments/notice-routes.ts'
import { refundRoutes } from './features/payments/refund-routes.ts'
import { paymentRoutes } from './features/payments/routes.ts'
import { ratePlanRoutes } from './features/rate-plans/routes.ts'
import { salesStopRoutes } from './features/sales-stops/routes.ts'
import { recognition } from './features/session/recognize.ts'
import { identityConflictReports } from './features/session/report-identity-conflict.ts'
import { sessionRoutes } from './features/session/routes.ts'
import { spaceRoutes } from './features/spaces/routes.ts'
import { openLive } from './features/sync/live.ts'
import { statusesNow } from './features/sync/status-queries.ts'
import { bookingConflictRoutes } from './features/pms-bookings/routes.ts'
import { pmsInboxRoutes, webhookMessageRoutes } from './features/pms-events/routes.ts'
import { targetOwners } from './features/pms-events/target-owners.ts'
import { proofRoutes } from './features/sync/proof-routes.ts'
import { leverRoutes } from './features/sync/lever-routes.ts'
import { syncRoutes } from './features/sync/routes.ts'
import { unitRoutes } from './features/units/routes.ts'
import { webhookDeliveryRoutes } from './features/webhook-endpoints/delivery-routes.ts'
import { webhookRequests } from './features/webhook-endpoints/event-payloads.ts'
import { webhookEndpointRoutes } from './features/webhook-endpoints/routes.ts'
import { authenticate, permit } from './http/authenticate.ts'
import { answerBrokenRequests } from './http/broken-requests.ts'
import { closeInTime } from './http/closing.ts'
import { compressAnswers } from './http/compression.ts'
import { describe } from './http/contract.ts'
import { guard } from './http/guard.ts'
import { recognizeInternal } from './http/internal-token.ts'
import { parseJsonBodies } from './http/json-body.ts'
import { refuseOddRequests } from './http/odd-requests.ts'
import { patientServer, waitForBodies } from './http/patience.ts'
import { answerProblems } from './http/problems.ts'
import { servePages } from './http/pages.ts'
import { rejectUnknownParameters } from './http/query-parameters.ts'
import { countNothing, limitRates } from './http/rate-limits.ts'
import { traceRequests } from './http/tracing.ts'
import { validateStrictly } from './http/validation.ts'
import type { Resources } from './resources.ts'
import { version } from './version.ts'

/** The front door: one line per feature. */
export async function openApp(resources: Resources): Promise<FastifyInstance> {
  const { config, database, outbox, identity, vault, egress, storage } = resources
  const { publicUrl, patience } = config.http
  let listener: Listener | undefined
  const isHearing = () => listener?.isHearing() ?? true
  const recognized = recognition(database, identity, identityConflictReports(database, outbox), isHearing)
  const live = openLive((orgId, ids) => statusesNow(database, orgId, ids))
  const connections = { pms: resources.pms, vault, timeoutMs: config.pms.timeoutMs }
  const cursorKey = Buffer.concat(
    config.secrets.keys.map(({ bytes }) => Buffer.from(hkdfSync('sha256', bytes, '', 'cursor', 32))),
  )

  const app: FastifyInstance = Fastify({
    bodyLimit: 1_048_576,
    ...patientServer(patience),
    trustProxy: trusted(config.http.trustProxy),
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 256, ignoreTrailingSlash: true, caseSensitive: true },
    clientErrorHandler: answerBrokenRequests(publicUrl),
    frameworkErrors: (error, request, reply) => app.errorHandler(error, request, reply as never),
  })
  app.server.maxConnections = config.http.mostConnections
  closeInTime(app)
  parseJsonBodies(app)
  validateStrictly(app)
  app.setSerializerCompiler(() => JSON.stringify)
  answerProblems(app, publicUrl)
  traceRequests(app)
  await guard(app, config)
  await compressAnswers(app)
  refuseOddRequests(app, publicUrl)
  waitForBodies(app, publicUrl, patience)
  await describe(app, version, webhookRequests())
  authenticate(app, { database, outbox }, recognized.recognize)
  recognizeInternal(app, config.http.internalTokens)
  if (config.http.limitsRates)
    limitRates(app, { counters: resources.counters, targetOwner: targetOwners(database) })
  else countNothing(app)
  permit(app)
  rejectUnknownParameters(app)

  await app.register(
    async (v1) => {
      await v1.register(sessionRoutes(recognized))
      await v1.register(organizationRoutes(cursorKey))
      await v1.register(accountRoutes(cursorKey))
      await v1.register(spaceRoutes(cursorKey))
      await v1.register(unitRoutes(cursorKey))
      await v1.register(ratePlanRoutes(cursorKey))
      await v1.register(chargeRoutes(cursorKey))
      await v1.register(calendarRoutes)
      await v1.register(bookingRoutes(cursorKey))
      await v1.register(guestRoutes({ cursorKey, vault, key: config.secrets.keys[0]! }))
      await v1.register(paymentRoutes({ cursorKey, vault, payments: resources.payments }))
      await v1.register(refundRoutes(cursorKey, resources.payments))
      await v1.register(salesStopRoutes(cursorKey))
      await v1.register(availabilityRoutes(cursorKey))
      await v1.register(quoteRoutes(cursorKey))
      await v1.register(channelTargetRoutes(cursorKey, vault, egress))
      await v1.register(channelListingRoutes(cursorKey))
      await v1.register(linkingRoutes(connections))
      await v1.register(proofRoutes(connections))
      await v1.register(syncRoutes({ cursorKey, live, recognize: recognized.recognize }))
      await v1.register(leverRoutes({ cursorKey, pms: resources.pms }))
      await v1.register(alertRoutes(cursorKey))
      await v1.register(analyticsRoutes)
      await v1.register(webhookMessageRoutes(cursorKey))
      await v1.register(bookingConflictRoutes({ cursorKey, pms: resources.pms }))
      await v1.register(notificationRoutes({ cursorKey, limits: config.testMail, publicUrl }))
      await v1.register(eventRoutes(cursorKey))
      await v1.register(
        webhookEndpointRoutes({ cursorKey, vault, egress, maxEndpoints: config.maxRecords.endpoints }),
      )
      await v1.register(webhookDeliveryRoutes(cursorKey))
      await v1.register(
        mediaRoutes({
          cursorKey,
          publicUrl,
          storage,
          uploads: join(config.home, 'uploads'),
          ...config.media,
        }),
      )
      await v1.register(
        calendarFeedRoutes({ cursorKey, vault, egress, publicUrl, maxFeeds: config.maxRecords.feeds }),
      )
    },
    { prefix: '/api/v1' },
  )
  await app.register(mediaFileRoutes(storage, publicUrl))
  await app.register(openCalendarRoutes({ database, outbox }, publicUrl))
  await app.register(pmsInboxRoutes({ database, outbox, vault, pms: resources.pms, ...config.pms.webhooks }))
  await app.register(paymentNoticeRoutes({ database, outbox }, resources.payments))
  await app.register(healthRoutes(checksOf(resources, isHearing), version, publicUrl))
  await app.register(metricsRoutes(resources, version))
  await servePages(app, config)

  app.addHook('preClose', (done) => (live.end(), done()))
  app.addHook('onReady', async () => {
    const heard = {
      sync: live.heard,
      revoked: recognized.forget,
      members: (orgId: string) => {
        recognized.forgetMembers(orgId)
        live.recheck(orgId)
      },
    }
    // What was missed is read anew: callers from the records, and streams end so that their readers come back.
    listener = await database.listen(heard, () => {
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

/** The framework trusts no mere number of proxies: who reaches us past them could then say anything. So we count. */
const trusted = (proxies: Config['http']['trustProxy']) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : proxies && [...proxies]
