import { Problem, Unreachable } from '@vacancy/client'

import { isMissingModule } from '../components/missing-module.ts'
import { failureMessages } from './failure-messages.ts'
import { useMessages } from './language.tsx'

/** Turns a failed call into a sentence for the person who tried, with the request id when it is unexpected. */
export const useFailureText = () => {
  const text = useMessages(failureMessages)
  return (failure: unknown): string => {
    if (failure instanceof Unreachable || isMissingModule(failure))
      return text(navigator.onLine ? 'unreachable' : 'offline')
    if (!(failure instanceof Problem)) return failure instanceof Error ? failure.message : String(failure)
    if (failure.status === 429) return text('rateLimited', { seconds: failure.retryAfterSeconds ?? 60 })
    if (failure.status >= 500) {
      const { requestId } = failure
      return [text('unexpected'), requestId && text('requestId', { id: requestId })].filter(Boolean).join(' ')
    }
    // The members of a translated problem have English names, so its sentence stands for them.
    if (failure.errors.length > 0 && !originalText(failure))
      return failure.errors.map(fieldSentence).join(' ')
    return failure.detail || failure.title
  }
}

/** The English sentence of a problem that was translated. */
export const originalText = (failure: unknown): string | null => {
  const original = failure instanceof Problem ? failure.members['original'] : null
  return typeof original === 'string' ? original : null
}

/** Whether somebody else changed the record since it was read. */
export const isVersionConflict = (failure: unknown): boolean =>
  failure instanceof Problem && failure.status === 412

interface FieldFault {
  pointer: string
  message: string
}

/** What the API says of a member, without its name: `guestEmail has …`. Undefined for a sentence that does not name it. */
const predicateOf = ({ pointer, message }: FieldFault) => {
  const name = `${pointer.replace(/^\//, '').replaceAll('/', '.')} `
  return name.length > 1 && message.startsWith(name) ? message.slice(name.length) : undefined
}

/** The sentence at a field, which has a name of its own: `This has …`. */
export const fieldMessage = (fault: FieldFault): string => {
  const predicate = predicateOf(fault)
  return predicate ? `This ${predicate}` : fault.message
}

const fieldSentence = (fault: FieldFault) => {
  const { pointer, message } = fault
  const predicate = predicateOf(fault)
  const field = pointer
    .replace(/^\//, '')
    .replace(/_cents$/, '')
    .replaceAll(/[_/]/g, ' ')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const sentence = `${(predicate ?? message).replace(/\.$/, '')}.`
  const name = `${field.charAt(0).toUpperCase()}${field.slice(1)}`
  return field ? `${name}${predicate ? '' : ':'} ${sentence}` : sentence
}
