import type * as contract from './contract/types.gen.ts'

/** The records, by the names that the contract gives them. */
export type Session = contract.Session
export type Space = contract.Space
export type Unit = contract.Unit
export type Organization = contract.Organization
export type Account = contract.Account
export type ChannelTarget = contract.ChannelTarget
export type ChannelListing = contract.ChannelListing
export type SyncStatus = contract.SyncStatus
export type AuditEntry = contract.AuditEntry
