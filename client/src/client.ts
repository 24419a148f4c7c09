import type * as contract from './contract/types.gen.ts'

export type { contract }
export { connect } from './connect.ts'
export type {
  ApiResponse,
  Client,
  ClientOptions,
  RequestArgs,
  RequestOptions,
  StreamOptions,
} from './connect.ts'
export * from './contract/operations.gen.ts'
export type { StreamEvent } from './event-stream.ts'
export type { ApiEvent } from './follow-stream.ts'
export type { Operation, RequestData } from './operation.ts'
export { Problem, Unreachable } from './problem.ts'
export type { FieldError, ProblemCode } from './problem.ts'
export type { ApiPromise, List, Page } from './resource.ts'
export { Vacancy } from './vacancy.ts'
export { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts'
export type { VerifyWebhookOptions } from './verify-webhook.ts'

/** The records of the API. */
export type WebhookEvent = contract.WebhookEvent
export type Session = contract.Session
export type Space = contract.Space
export type Unit = contract.Unit
export type Organization = contract.Organization
export type Account = contract.Account
export type Booking = contract.Booking
export type Quote = contract.Quote
export type ChannelTarget = contract.ChannelTarget
export type ChannelListing = contract.ChannelListing
export type SyncStatus = contract.SyncStatus
export type AuditEntry = contract.AuditEntry
