import type { PmsResponse } from '../send-request.ts'
import { forEachConcurrently } from '../concurrency.ts'
import type { CallContext } from '../pms-call.ts'
import { PmsFailure } from '../pms-failure.ts'
import { parseName, asObject } from '../pms-notice.ts'
import type { TaskState } from '../pms.ts'
import { dataOf, pathSegment, type ChannexApi } from './channex-api.ts'
import { detailsText } from './failures.ts'

/** The ids of the tasks that a response to a message names. */
export function taskIdsIn(response: PmsResponse): string[] {
  const data = dataOf(response)
  const ids = Array.isArray(data) ? (data as unknown[]).map((task) => parseName(asObject(task)['id'])) : []
  return ids.filter((id) => id !== null)
}

const completedStatuses: ReadonlySet<unknown> = new Set([
  'completed',
  'complete',
  'success',
  'succeeded',
  'done',
  'finished',
])
const failedStatuses: ReadonlySet<unknown> = new Set(['failed', 'failure', 'error', 'rejected', 'cancelled'])

/** A task that Channex does not show is `unknown`: then the property has to be read back. */
export async function getTaskStates(
  api: ChannexApi,
  tasks: readonly string[],
  call: CallContext,
): Promise<ReadonlyMap<string, TaskState>> {
  const states = new Map<string, TaskState>()
  await forEachConcurrently(tasks, async (task) => void states.set(task, await getTaskState(api, task, call)))
  return states
}

async function getTaskState(api: ChannexApi, task: string, call: CallContext): Promise<TaskState> {
  const path = `/tasks/${pathSegment(task)}`
  const response = await api.send({ kind: 'content', method: 'GET', path }, call)
  const failure = api.failureOf(response, 'the task')
  if (failure?.retryable) throw failure
  const { attributes } = asObject(dataOf(response))
  // Channex does not document this call, so any other answer says only that the property has to be read back.
  if (failure || attributes === undefined) return { state: 'unknown' }
  const { status, errors, warnings } = asObject(attributes)
  const problems = [errors, warnings].flat().filter((problem) => problem !== undefined && problem !== null)
  const isFailed = problems.length > 0 || failedStatuses.has(status)
  if (!isFailed) return { state: completedStatuses.has(status) ? 'completed' : 'pending' }
  return {
    state: 'failed',
    failure: taskFailure(api, problems, response),
    externalIds: problems.flatMap(externalIdsIn),
  }
}

const externalIdsIn = (problem: unknown): string[] => {
  const { room_type_id: room, rate_plan_id: plan } = asObject(problem)
  return [room, plan].map(parseName).filter((id) => id !== null)
}

function taskFailure(api: ChannexApi, problems: readonly unknown[], { exchange }: PmsResponse): PmsFailure {
  const reasons = problems.slice(0, 3).map((problem) => {
    const { warning, error, message } = asObject(problem)
    return api.redact(detailsText(warning ?? error ?? message ?? problem) || 'no reason given')
  })
  return new PmsFailure(
    'partial_rejection',
    `Channex accepted the update and then could not apply it: ${reasons.join('; ') || 'no reason given'}`,
    { hint: 'Change the value that Channex names, or trigger the sync to send it again.', exchange },
  )
}
