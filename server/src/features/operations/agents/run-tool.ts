import { Rejected, type Api } from './api.ts'
import type { Confirmations } from './confirmation.ts'
import { isChange, type ChangeTool, type ReadTool, type Values } from './tool.ts'

/** Under which the results of tools are stored whose operation takes no Idempotency-Key. */
const ownOperation = 'POST /mcp'

export interface ToolCaller {
  readonly orgId: string
  readonly userId: string
  readonly api: Api
  /** The stored response to an operation with this Idempotency-Key. */
  findResponse(operation: string, key: string): Promise<{ readonly body: string } | undefined>
  storeResponse(operation: string, key: string, body: string): Promise<void>
}

/**
 * The result of a tool: what the API answers; for a change without `confirmation` its preview. Nothing is written without
 * the confirmation of exactly this change. @throws Rejected with a problem document
 */
export async function runTool(
  tool: ReadTool | ChangeTool,
  { confirmation, ...values }: Values,
  caller: ToolCaller,
  confirmations: Confirmations,
): Promise<unknown> {
  if (!isChange(tool)) return await read(tool, values, caller.api)
  const { orgId, userId } = caller
  const requested = { orgId, userId, tool: tool.name, values }
  const key = confirmations.keyOf(String(confirmation), requested)
  // When the response was lost, the change is made, and its preview differs or is rejected.
  const response =
    confirmation === undefined ? undefined : await caller.findResponse(tool.operation ?? ownOperation, key)
  if (response !== undefined) return { done: JSON.parse(response.body) as unknown }
  const preview = await tool.preview(caller.api, values)
  const change = { ...requested, preview }
  if (confirmation === undefined)
    return {
      preview,
      ...confirmations.issue(change),
      next: 'Nothing was changed. To do it, call the tool again with the same arguments and this confirmation.',
    }
  if (!confirmations.isValid(String(confirmation), change))
    throw new Rejected({
      title: 'The confirmation does not fit.',
      detail:
        'It has expired, is of other arguments, or something changed since the preview: perhaps by this confirmation, if its result was lost. This call changed nothing: call the tool without a confirmation to see the current preview.',
      preview,
    })
  // The time in a confirmation makes two previews of the same change two changes.
  const done = await tool.apply(caller.api, values, preview, key)
  if (!tool.operation) await caller.storeResponse(ownOperation, key, JSON.stringify(done))
  return { done }
}

async function read({ path }: ReadTool, values: Values, api: Api): Promise<unknown> {
  const query = { ...values }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    delete query[name]
    return encodeURIComponent(String(values[name]))
  })
  return await api('GET', filled, { query })
}
