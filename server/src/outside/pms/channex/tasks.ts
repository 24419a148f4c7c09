import type { Answer } from '../exchange.ts'
import { fourAtATime } from '../four-at-a-time.ts'
import type { Call } from '../pms-call.ts'
import { PmsFailure } from '../pms-failure.ts'
import { nameIn, objectIn } from '../pms-notice.ts'
import type { TaskState } from '../pms-task.ts'
import { dataOf, segment, type ChannexApi } from './channex-api.ts'
import { detailsInWords, nonsense } from './refusal.ts'

/** The tasks that an answer to a message names. */
export function taskNames(answer: Answer): string[] {
  const data = dataOf(answer)
  const named = Array.isArray(data) ? (data as unknown[]).map((one) => nameIn(objectIn(one)['id'])) : []
  return named.filter((name) => name !== null)
}

const completed: ReadonlySet<unknown> = new Set([
  'completed',
  'complete',
  'success',
  'succeeded',
  'done',
  'finished',
])
const failed: ReadonlySet<unknown> = new Set(['failed', 'failure', 'error', 'rejected', 'cancelled'])

/** How these tasks stand. One that Channex does not show is `unknown`: the property has to be read back. */
export async function taskStates(
  api: ChannexApi,
  tasks: readonly string[],
  call: Call,
): Promise<ReadonlyMap<string, TaskState>> {
  const states = new Map<string, TaskState>()
  await fourAtATime(tasks, async (task) => void states.set(task, await taskState(api, task, call)))
  return states
}

async function taskState(api: ChannexApi, task: string, call: Call): Promise<TaskState> {
  const answer = await api.ask({ kind: 'content', method: 'GET', path: `/tasks/${segment(task)}` }, call)
  if ([403, 404, 405].includes(answer.status)) return { state: 'unknown' }
  const failure = api.refusal(answer, 'the task')
  if (failure) throw failure
  const { attributes } = objectIn(dataOf(answer))
  if (attributes === undefined) throw nonsense(answer)
  const { status, errors, warnings } = objectIn(attributes)
  const problems = [errors, warnings].flat().filter((one) => one !== undefined && one !== null)
  const isFailed = problems.length > 0 || failed.has(status)
  if (!isFailed) return { state: completed.has(status) ? 'completed' : 'pending' }
  return {
    state: 'failed',
    failure: failureOf(api, problems, answer),
    externalIds: problems.flatMap(externalIdsIn),
  }
}

const externalIdsIn = (problem: unknown): string[] => {
  const { room_type_id: room, rate_plan_id: plan } = objectIn(problem)
  return [room, plan].map(nameIn).filter((name) => name !== null)
}

function failureOf(api: ChannexApi, problems: readonly unknown[], { exchange }: Answer): PmsFailure {
  const words = problems.slice(0, 3).map((problem) => {
    const { warning, error, message } = objectIn(problem)
    return api.clean(detailsInWords(warning ?? error ?? message ?? problem) || 'no reason given')
  })
  return new PmsFailure(
    'partial_rejection',
    `Channex took the update and then could not apply it: ${words.join('; ') || 'no reason given'}`,
    { hint: 'Change the value that Channex names, or trigger the sync to send it again.', exchange },
  )
}
