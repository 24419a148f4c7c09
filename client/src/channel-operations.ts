import type * as contract from './contract/types.gen.ts'
import { operation } from './operation.ts'

export const checkConnection = operation<
  contract.PostChannelTargetsChecksData,
  contract.PostChannelTargetsChecksResponse
>('POST', '/api/v1/channel-targets/checks')
export const pauseChannelTarget = operation<
  contract.PostChannelTargetsByIdPauseData,
  contract.PostChannelTargetsByIdPauseResponse
>('POST', '/api/v1/channel-targets/{id}/pause')
export const resumeChannelTarget = operation<
  contract.DeleteChannelTargetsByIdPauseData,
  contract.DeleteChannelTargetsByIdPauseResponse
>('DELETE', '/api/v1/channel-targets/{id}/pause')
export const listOffers = operation<
  contract.GetChannelTargetsByIdOffersData,
  contract.GetChannelTargetsByIdOffersResponse
>('GET', '/api/v1/channel-targets/{id}/offers')
export const preflightTarget = operation<
  contract.GetChannelTargetsByIdPreflightData,
  contract.GetChannelTargetsByIdPreflightResponse
>('GET', '/api/v1/channel-targets/{id}/preflight')
export const pauseChannelListing = operation<
  contract.PostChannelListingsByIdPauseData,
  contract.PostChannelListingsByIdPauseResponse
>('POST', '/api/v1/channel-listings/{id}/pause')
export const resumeChannelListing = operation<
  contract.DeleteChannelListingsByIdPauseData,
  contract.DeleteChannelListingsByIdPauseResponse
>('DELETE', '/api/v1/channel-listings/{id}/pause')
export const listSyncTargets = operation<contract.GetSyncTargetsData, contract.GetSyncTargetsResponse>(
  'GET',
  '/api/v1/sync/targets',
)
export const getSyncTarget = operation<
  contract.GetSyncTargetsByTargetIdData,
  contract.GetSyncTargetsByTargetIdResponse
>('GET', '/api/v1/sync/targets/{targetId}')
export const replaySyncs = operation<contract.PostSyncReplaysData, contract.PostSyncReplaysResponse>(
  'POST',
  '/api/v1/sync/replays',
)
export const retrySyncs = operation<contract.PostSyncRetriesData, contract.PostSyncRetriesResponse>(
  'POST',
  '/api/v1/sync/retries',
)
export const proveListing = operation<
  contract.GetSyncProofByListingIdData,
  contract.GetSyncProofByListingIdResponse
>('GET', '/api/v1/sync/proof/{listingId}')

export const listWebhookEndpoints = operation<
  contract.GetWebhookEndpointsData,
  contract.GetWebhookEndpointsResponse
>('GET', '/api/v1/webhook-endpoints')
export const getWebhookEndpoint = operation<
  contract.GetWebhookEndpointsByIdData,
  contract.GetWebhookEndpointsByIdResponse
>('GET', '/api/v1/webhook-endpoints/{id}')
export const createWebhookEndpoint = operation<
  contract.PostWebhookEndpointsData,
  contract.PostWebhookEndpointsResponse
>('POST', '/api/v1/webhook-endpoints')
export const updateWebhookEndpoint = operation<
  contract.PatchWebhookEndpointsByIdData,
  contract.PatchWebhookEndpointsByIdResponse
>('PATCH', '/api/v1/webhook-endpoints/{id}')
export const deleteWebhookEndpoint = operation<
  contract.DeleteWebhookEndpointsByIdData,
  contract.DeleteWebhookEndpointsByIdResponse
>('DELETE', '/api/v1/webhook-endpoints/{id}')
export const rotateWebhookSecret = operation<
  contract.PostWebhookEndpointsByIdSecretData,
  contract.PostWebhookEndpointsByIdSecretResponse
>('POST', '/api/v1/webhook-endpoints/{id}/secret')
export const testWebhookEndpoint = operation<
  contract.PostWebhookEndpointsByIdTestData,
  contract.PostWebhookEndpointsByIdTestResponse
>('POST', '/api/v1/webhook-endpoints/{id}/test')
export const replayWebhookEvents = operation<
  contract.PostWebhookEndpointsByIdReplayData,
  contract.PostWebhookEndpointsByIdReplayResponse
>('POST', '/api/v1/webhook-endpoints/{id}/replay')
export const listWebhookDeliveries = operation<
  contract.GetWebhookDeliveriesData,
  contract.GetWebhookDeliveriesResponse
>('GET', '/api/v1/webhook-deliveries')
export const replayWebhookDelivery = operation<
  contract.PostWebhookDeliveriesByIdReplayData,
  contract.PostWebhookDeliveriesByIdReplayResponse
>('POST', '/api/v1/webhook-deliveries/{id}/replay')
export const getEvent = operation<contract.GetEventsByIdData, contract.GetEventsByIdResponse>(
  'GET',
  '/api/v1/events/{id}',
)
export const listWebhookMessages = operation<
  contract.GetWebhookMessagesData,
  contract.GetWebhookMessagesResponse
>('GET', '/api/v1/webhook-messages')
export const replayWebhookMessage = operation<
  contract.PostWebhookMessagesByIdReplayData,
  contract.PostWebhookMessagesByIdReplayResponse
>('POST', '/api/v1/webhook-messages/{id}/replay')
export const getNotificationPreferences = operation<
  contract.GetNotificationPreferencesData,
  contract.GetNotificationPreferencesResponse
>('GET', '/api/v1/notification-preferences')
export const replaceNotificationPreferences = operation<
  contract.PutNotificationPreferencesData,
  contract.PutNotificationPreferencesResponse
>('PUT', '/api/v1/notification-preferences')
export const listNotificationTemplates = operation<
  contract.GetNotificationTemplatesData,
  contract.GetNotificationTemplatesResponse
>('GET', '/api/v1/notification-templates')

export const listAuditLog = operation<contract.GetAuditData, contract.GetAuditResponse>(
  'GET',
  '/api/v1/audit',
)
export const exportAuditLog = operation<contract.GetAuditCsvData, contract.GetAuditCsvResponse>(
  'GET',
  '/api/v1/audit.csv',
)
