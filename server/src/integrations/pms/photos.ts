import type { Photo } from './pms-content.ts'

const ownUrl = /\/media\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[\w-]{32}\.[a-z]+$/

/**
 * Whether the PMS got this photo from us, also under a base URL that we had before. Other photos were added at the PMS
 * and are kept.
 */
export const isOwnPhoto = (photo: { readonly url?: unknown } | null): boolean =>
  typeof photo?.url === 'string' && ownUrl.test(photo.url)

/** Whether the PMS shows exactly these photos, in this order. */
export const arePhotosEqual = (desired: readonly Photo[], shown: readonly Photo[]): boolean =>
  desired.length === shown.length &&
  desired.every(
    ({ url, description }, index) =>
      shown[index]!.url === url && (shown[index]!.description ?? '') === (description ?? ''),
  )
