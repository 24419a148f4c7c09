import type * as contract from './contract/types.gen.ts'

/** The records, by name; the contract writes each of them out where it is answered. */
export type Session = contract.GetAuthSessionResponse
export type Space = contract.GetSpacesResponse['spaces'][number]
export type Unit = contract.GetUnitsByIdResponse['unit']
export type Organization = contract.GetOrganizationsByIdResponse['organization']
export type Account = contract.GetAccountsByIdResponse['account']
export type ChannelTarget = contract.GetChannelTargetsByIdResponse['channel_target']
export type ChannelListing = contract.GetChannelListingsByIdResponse['channel_listing']
export type SyncStatus = contract.GetSyncStatusByListingIdResponse
export type AuditEntry = contract.GetSyncAuditResponse['audit'][number]
