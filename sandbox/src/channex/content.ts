import { randomUUID } from 'node:crypto'
import { isObject, oneOf, text, type Check, type Given } from './checks.ts'

/** Texts and photos of a property or a room type. */
export type Content = {
  description: string | null
  important_information?: string | null
  photos: Given[]
}

const photoChecks: Record<string, Check> = {
  url: text(2048),
  description: text(1000),
  author: text(255),
  position: (value) => (Number.isInteger(value) ? undefined : 'is invalid'),
  kind: oneOf('photo', 'ad', 'menu'),
}

export const content: Check = (value) => {
  if (!isObject(value)) return 'is invalid'
  const { description = null, important_information: information = null, photos = [] } = value
  if ([description, information].some((words) => words !== null && typeof words !== 'string'))
    return 'is invalid'
  return Array.isArray(photos) && photos.every(isPhoto) ? undefined : 'is invalid'
}

function isPhoto(value: unknown): boolean {
  if (!isObject(value) || !value['url']) return false
  return Object.entries(photoChecks).every(
    ([name, check]) => (value[name] ?? '') === '' || !check(value[name]),
  )
}

/** A photo with a known URL keeps its id, because clients map photos by id. */
export function withPhotos(
  given: Given,
  before: Content | undefined,
  owner: { property_id: string; room_type_id: string | null },
) {
  const idOf = (url: unknown) => before?.photos.find((photo) => photo['url'] === url)?.['id'] ?? randomUUID()
  const photos = given['photos'] ?? before?.photos ?? []
  return {
    ...before,
    description: before?.description ?? null,
    ...given,
    photos: (photos as Given[]).map(
      ({ url, position = 0, description = null, author = null, kind = 'photo' }) => ({
        id: idOf(url),
        ...owner,
        url,
        position,
        description,
        author,
        kind,
      }),
    ),
  } as Content
}
