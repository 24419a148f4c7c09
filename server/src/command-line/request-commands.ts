/** The commands `get`, `post`, `put`, `patch` and `delete`: any request of the API. */
import { withApiOptions, type CommandGroup } from './command-group.ts'
import type { RequestInput } from './send-request.ts'

const methods = {
  get: 'send a GET request; fields become the query',
  post: 'send a POST request',
  put: 'send a PUT request',
  patch: 'send a PATCH request',
  delete: 'send a DELETE request',
} as const

export function addRequestCommands({ program, context, roles, asJson }: CommandGroup) {
  for (const [name, description] of Object.entries(methods)) {
    const command = withApiOptions(program.command(name), roles)
      .description(description)
      .argument('<path>', 'path, such as units or /api/v1/units')
      .argument('[field...]', 'name=value, or name:=json; @file or - is the whole body')
    if (name !== 'get') {
      command.option('--data <json>', 'the body: JSON, @file, or - for standard input')
      command.option('--if-match <etag>', 'change the record only if it still has this entity tag')
    }
    if (name === 'post')
      command.option('--idempotency-key <key>', 'a key by which the request can be repeated safely')
    command.action(async (path: string, fields: string[], options: RequestInput) => {
      const { sendRequest } = await import('./send-request.ts')
      await sendRequest(context, name.toUpperCase() as 'GET', path, { ...options, fields }, asJson())
    })
  }
}
