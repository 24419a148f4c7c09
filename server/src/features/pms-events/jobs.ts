import { handle } from '#queue/job.ts'
import { actOnMessage, type Acting } from './act-on-message.ts'
import { ActOnMessage } from './message-jobs.ts'

export const pmsEventJobs = (acting: Acting) => [
  handle(ActOnMessage, (scope, { messageId, body }, run) =>
    actOnMessage(scope, acting, messageId, body, run),
  ),
]
