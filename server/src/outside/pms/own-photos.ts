import type { Photo } from './pms.ts'

const own = /\/media\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[\w-]{32}\.[a-z]+$/

/**
 * Whether a photo is one that we told the PMS of, also under an address that we had before. The others were put there
 * by somebody else, and stay.
 */
export const isOwnPhoto = (photo: { readonly url?: unknown }): boolean =>
  typeof photo.url === 'string' && own.test(photo.url)

/** Whether the PMS has these photos, in this order. */
export const areShown = (wanted: readonly Photo[], shown: readonly Photo[]): boolean =>
  wanted.length === shown.length &&
  wanted.every(({ url, description }, n) => {
    const there = shown[n]!
    return there.url === url && (there.description ?? '') === (description ?? '')
  })
