/** The commands of the resources of the API, made from its contract: `vacancy units list`, `vacancy bookings create`. */
import { Option, type Command } from 'commander'
import type { DescribedOperation, Parameter } from '../../../client/describe-operations.ts'
import { withApiOptions, type CommandGroup } from './command-group.ts'
import { readContract, type Contract } from './contract.ts'
import type { OperationInput } from './run-operation.ts'

/** The short names; the others are those of the API. */
const shortNames: Record<string, string> = {
  channelListings: 'listings',
  channelTargets: 'targets',
  ratePlans: 'rates',
  webhookEndpoints: 'webhooks',
}

/** These have commands that are written by hand. */
const leftOut = new Set(['session', 'sync', 'health'])

/** Adds all resources, and the operations of the one that is named. */
export function addResourceCommands(group: CommandGroup, named: string | undefined): void {
  const contract = readContract(group.context.root)
  const operations = contract.operations.filter(
    ({ resource, reply }) => !leftOut.has(resource) && reply.kind !== 'stream',
  )
  group.program.commandsGroup('Resources of the API:')
  for (const [resource, own] of Map.groupBy(operations, (operation) => operation.resource)) {
    const name = shortNames[resource] ?? kebabCase(resource)
    const verbs = own.map(({ method }) => kebabCase(method))
    const command = group.program.command(name).description(verbs.join(', '))
    if (resource in shortNames) command.alias(kebabCase(resource))
    const names = [name, ...command.aliases()]
    if (named !== undefined && names.includes(named))
      for (const operation of own) addOperation(group, command, contract, operation)
  }
}

function addOperation(
  { context, roles, asJson }: CommandGroup,
  parent: Command,
  contract: Contract,
  operation: DescribedOperation,
): void {
  const { method, summary, description, pathParameters, query, body, reply, httpMethod } = operation
  const command = withApiOptions(parent.command(kebabCase(method)), roles)
    .summary(summary)
    .description(description ? `${summary}. ${description}` : `${summary}.`)
  for (const name of pathParameters) command.argument(`<${kebabCase(name)}>`)
  for (const parameter of uniqueParameters(query)) command.addOption(queryOption(parameter, contract))
  if (body) {
    command
      .argument('[field...]', 'name=value, or name:=json; @file or - is the whole body')
      .option('--data <json>', 'the body: JSON, @file, or - for standard input')
      .addHelpText('after', () => describeFields(contract, operation))
  }
  if (reply.kind === 'list') {
    command.option('--all', 'read all pages')
    command.option('--columns <names>', 'the columns of the table, with commas between')
  }
  if (reply.kind !== 'file')
    command.option('--get <member>', 'print only this member of each record, such as id or space.name')
  if (reply.kind === 'file') command.option('--output <file>', 'write the file instead of printing it')
  if (httpMethod === 'POST')
    command.option('--idempotency-key <key>', 'a key by which the request can be repeated safely')
  else if (httpMethod !== 'GET')
    command.option('--if-match <etag>', 'change the record only if it still has this entity tag')
  command.action(async (...given: unknown[]) => {
    const [options, values] = [given.at(-2) as OperationInput, given.slice(0, -2)]
    const { runOperation } = await import('./run-operation.ts')
    const fields = body ? (values.pop() as string[]) : []
    const path = Object.fromEntries(pathParameters.map((name, at) => [name, values[at] as string]))
    const chosen = uniqueParameters(query).map(
      (parameter) => [parameter.name!, options[queryOption(parameter, contract).attributeName()]] as const,
    )
    const input = { ...options, fields, path, query: Object.fromEntries(chosen) }
    await runOperation(context, contract, operation, input, asJson())
  })
}

/** Some parameters have a second spelling. */
const uniqueParameters = (parameters: readonly Parameter[]) =>
  parameters.filter(
    ({ name }, at) => parameters.findIndex((one) => kebabCase(one.name!) === kebabCase(name!)) === at,
  )

function queryOption({ name = '', description, schema, required }: Parameter, contract: Contract): Option {
  const { type, items, enum: values } = contract.resolve(schema)
  const choices = (values ?? contract.resolve(items).enum) as string[] | undefined
  const flag = `--${kebabCase(name)}`
  const text = [description, choices && `One of ${choices.join(', ')}.`].filter(Boolean).join(' ')
  if (type === 'boolean') return new Option(`${flag} [value]`, text).preset('true')
  const option = new Option(`${flag} <value>`, text).makeOptionMandatory(required === true)
  if (type === 'array')
    option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value])
  return option
}

function describeFields({ resolve }: Contract, { body }: DescribedOperation): string {
  const { properties = {}, required = [] } = resolve(body?.schema)
  const lines = Object.entries(properties)
    .map(([name, schema]) => [name, resolve(schema)] as const)
    .filter(([, { description }]) => description !== 'Read only.')
    .map(([name, { type = '', enum: values, description = '' }]) => {
      const form = values ? values.join('|') : type
      return `  ${name.padEnd(24)}${[required.includes(name) && 'required', form, description].filter(Boolean).join('; ')}`
    })
  return lines.length === 0 ? '' : `\nFields:\n${lines.join('\n')}`
}

const kebabCase = (name: string) =>
  name.replaceAll('_', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
