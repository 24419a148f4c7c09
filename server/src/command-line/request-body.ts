/** Builds the body of a request from what the command line gives. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Schema } from '../../../client/describe-operations.ts'
import { CommandError } from './command-error.ts'

export interface BodyInput {
  /** JSON text, `@file` or `-` for standard input. */
  data?: string
  /** `name=value` or `name:=json`, or one of `@file` and `-`. */
  fields: readonly string[]
}

/** What a field may contain, by its name. */
export type SchemaOf = (field: string) => Schema

/** Undefined when nothing is given. */
export async function readBody({ data, fields }: BodyInput, schemaOf: SchemaOf): Promise<unknown> {
  const [only] = fields
  if (fields.length === 1 && only && (only === '-' || only.startsWith('@'))) {
    if (data !== undefined) throw new CommandError('usage', `Give --data or ${only}, not both.`)
    return await readJsonText(only)
  }
  const body = data === undefined ? undefined : await readJsonText(data)
  if (fields.length === 0) return body
  if (body !== undefined && !isObject(body))
    throw new CommandError('usage', 'Fields can only be added to a JSON object.')
  const members: Record<string, unknown> = { ...body }
  for (const field of fields) await addField(members, field, schemaOf)
  return members
}

/** `name=value` of a query. */
export function readQuery(fields: readonly string[]): Record<string, string[]> {
  const query: Record<string, string[]> = {}
  for (const field of fields) {
    const [name, , value] = splitField(field)
    ;(query[name] ??= []).push(value)
  }
  return query
}

async function readJsonText(source: string): Promise<unknown> {
  const json = source === '-' ? await text(process.stdin) : await readArgument(source)
  try {
    return JSON.parse(json) as unknown
  } catch (error) {
    const where = source === '-' ? 'Standard input' : source.startsWith('@') ? source.slice(1) : '--data'
    throw new CommandError('usage', `${where} is not JSON: ${(error as Error).message}.`, error)
  }
}

async function readArgument(source: string): Promise<string> {
  return source.startsWith('@')
    ? await readFile(source.slice(1), 'utf8').catch(unreadable(source.slice(1)))
    : source
}

const unreadable = (path: string) => (error: NodeJS.ErrnoException) => {
  throw new CommandError('usage', `${path} cannot be read (${error.code}).`, error)
}

export const readFileAt = async (path: string): Promise<File> =>
  new File([await readFile(path).catch(unreadable(path))], basename(path))

function splitField(field: string): [name: string, operator: string, value: string] {
  const [, name, operator, value] = /^([^=:]+)(:?=)(.*)$/s.exec(field) ?? []
  if (!name || !operator || value === undefined)
    throw new CommandError('usage', `${field} is not of the form name=value or name:=json.`)
  return [name, operator, value]
}

async function addField(members: Record<string, unknown>, field: string, schemaOf: SchemaOf): Promise<void> {
  const [name, operator, value] = splitField(field)
  const names = name.split('.')
  const last = names.pop()!
  let place = members
  for (const one of names) {
    const inner = Object.hasOwn(place, one) ? place[one] : undefined
    if (isObject(inner)) place = inner
    else place = setMember(place, one, {}) as Record<string, unknown>
  }
  if (operator === ':=') setMember(place, last, parseJson(name, value))
  else setMember(place, last, await convert(name, value, schemaOf(name)))
}

/** Also a member named `__proto__` is one of the object itself. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): unknown {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  return value
}

function parseJson(name: string, value: string): unknown {
  try {
    return JSON.parse(value) as unknown
  } catch (error) {
    throw new CommandError('usage', `${name} is not JSON: ${(error as Error).message}.`, error)
  }
}

/** Text stays text where the contract says so; what does not fit is sent as it is, and the API explains. */
async function convert(name: string, value: string, schema: Schema): Promise<unknown> {
  if (schema.format === 'binary') {
    return await readFileAt(value.replace(/^@/, ''))
  }
  if (schema.type !== 'string' && value === 'null') return null
  if (schema.type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  if ((schema.type === 'integer' || schema.type === 'number') && /^-?\d+(\.\d+)?$/.test(value))
    return Number(value)
  if (schema.type === 'array' || schema.type === 'object') {
    if (/^[[{]/.test(value)) return parseJson(name, value)
    if (schema.type === 'array')
      return await Promise.all(value.split(',').map((one) => convert(name, one.trim(), schema.items ?? {})))
  }
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
