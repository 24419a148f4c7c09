/** Which listings a change concerns, and which of their nights: from, to (included), `all`, or none. */
export type Concern = (
  | { unitId: string }
  | { unitIds: readonly string[] }
  | { spaceId: string }
  | { targetId: string; unsettled?: true }
  | { listingId: string }
  | { listingIds: readonly string[] }
  | { everything: true }
) & {
  nights?: { from: string; to: string } | 'all'
  /** Only those that have failed, with one of these codes. */
  failedWith?: readonly string[] | 'anything'
  /** Only those that may be pushed: neither paused nor behind an inactive target. */
  awake?: true
}
