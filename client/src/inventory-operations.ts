import type * as contract from './contract/types.gen.ts'
import { operation } from './operation.ts'

export const getRatePlan = operation<contract.GetRatePlansByIdData, contract.GetRatePlansByIdResponse>(
  'GET',
  '/api/v1/rate-plans/{id}',
)
export const createRatePlan = operation<contract.PostRatePlansData, contract.PostRatePlansResponse>(
  'POST',
  '/api/v1/rate-plans',
)
export const updateRatePlan = operation<contract.PatchRatePlansByIdData, contract.PatchRatePlansByIdResponse>(
  'PATCH',
  '/api/v1/rate-plans/{id}',
)
export const deleteRatePlan = operation<
  contract.DeleteRatePlansByIdData,
  contract.DeleteRatePlansByIdResponse
>('DELETE', '/api/v1/rate-plans/{id}')

export const listCharges = operation<contract.GetChargesData, contract.GetChargesResponse>(
  'GET',
  '/api/v1/charges',
)
export const getCharge = operation<contract.GetChargesByIdData, contract.GetChargesByIdResponse>(
  'GET',
  '/api/v1/charges/{id}',
)
export const createCharge = operation<contract.PostChargesData, contract.PostChargesResponse>(
  'POST',
  '/api/v1/charges',
)
export const updateCharge = operation<contract.PatchChargesByIdData, contract.PatchChargesByIdResponse>(
  'PATCH',
  '/api/v1/charges/{id}',
)
export const deleteCharge = operation<contract.DeleteChargesByIdData, contract.DeleteChargesByIdResponse>(
  'DELETE',
  '/api/v1/charges/{id}',
)

export const listCalendarFeeds = operation<contract.GetCalendarFeedsData, contract.GetCalendarFeedsResponse>(
  'GET',
  '/api/v1/calendar-feeds',
)
export const getCalendarFeed = operation<
  contract.GetCalendarFeedsByIdData,
  contract.GetCalendarFeedsByIdResponse
>('GET', '/api/v1/calendar-feeds/{id}')
export const createCalendarFeed = operation<
  contract.PostCalendarFeedsData,
  contract.PostCalendarFeedsResponse
>('POST', '/api/v1/calendar-feeds')
export const updateCalendarFeed = operation<
  contract.PatchCalendarFeedsByIdData,
  contract.PatchCalendarFeedsByIdResponse
>('PATCH', '/api/v1/calendar-feeds/{id}')
export const deleteCalendarFeed = operation<
  contract.DeleteCalendarFeedsByIdData,
  contract.DeleteCalendarFeedsByIdResponse
>('DELETE', '/api/v1/calendar-feeds/{id}')

export const listMedia = operation<contract.GetMediaData, contract.GetMediaResponse>('GET', '/api/v1/media')
export const uploadMedia = operation<
  contract.PostPropertiesByPropertyIdMediaData,
  contract.PostPropertiesByPropertyIdMediaResponse
>('POST', '/api/v1/properties/{property_id}/media')
export const updateMedia = operation<contract.PatchMediaByIdData, contract.PatchMediaByIdResponse>(
  'PATCH',
  '/api/v1/media/{id}',
)
export const deleteMedia = operation<contract.DeleteMediaByIdData, contract.DeleteMediaByIdResponse>(
  'DELETE',
  '/api/v1/media/{id}',
)
