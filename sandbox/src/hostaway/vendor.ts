import type { Records } from './records.ts'
import type { Delivery } from './webhook.ts'

/** What the parts of the stand-in work with. */
export type Vendor = {
  records: Records
  /** The vendor's clock, which can be turned forward. */
  now(): number
  /** Tells every webhook of the account. */
  notify(payload: Delivery['payload']): void
}

/** A call that was let in. */
export type Asked = {
  accountId: number
  query: URLSearchParams
  /** The numbers in the path, in their order. */
  ids: number[]
  /** The body; fails if it cannot be read. */
  body(): unknown
}
