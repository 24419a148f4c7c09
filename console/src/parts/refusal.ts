import { Problem, Unreachable } from '@vacancy/client'

/** Why something did not work, in words for the person who tried. */
export const wordsFor = (failure: unknown): string => {
  if (failure instanceof Unreachable) {
    return navigator.onLine
      ? 'The service could not be reached. Try again in a moment.'
      : 'You are offline. Try again when you are connected.'
  }
  if (!(failure instanceof Problem)) return failure instanceof Error ? failure.message : String(failure)
  if (failure.status === 429) {
    const seconds = failure.retryAfterSeconds ?? 60
    return `Too many requests at once. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
  }
  if (failure.errors.length > 0) return failure.errors.map(sentenceOf).join(' ')
  return failure.detail || failure.title
}

/** True when someone else was quicker. */
export const isConflict = (failure: unknown): boolean =>
  failure instanceof Problem &&
  (failure.status === 412 || (failure.status === 409 && failure.code === 'version-conflict'))

const sentenceOf = ({ pointer, message }: { pointer: string; message: string }) => {
  const field = pointer
    .replace(/^\//, '')
    .replace(/_cents$/, '')
    .replaceAll(/[_/]/g, ' ')
  const said = message.replace(/\.$/, '')
  return field ? `${field.charAt(0).toUpperCase()}${field.slice(1)}: ${said}.` : `${said}.`
}
