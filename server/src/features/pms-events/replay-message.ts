import { atomically, type Scope } from '#db/scope.ts'
import type { Stored } from '#http/replies.ts'
import { enqueue, oneOfThem } from '#queue/job.ts'
import { ActOnMessage } from './message-jobs.ts'
import { renewMessage } from './queries.ts'
import { readBody } from './read-body.ts'

/** Acts on a message once more, whatever became of it. What it tells is applied as if it came late. @throws NotFound */
export const replayMessage = (scope: Scope, id: string): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    const { body, kind, ...stored } = await renewMessage(transaction, id)
    const payload = { messageId: id, body: readBody(Buffer.from(body)).value }
    await enqueue(transaction, oneOfThem(ActOnMessage, kind), [{ payload }])
    return stored
  })
