import { Type, type TSchema } from 'typebox'
import type { Api, Scalar } from './api.ts'

export type Input = Record<string, TSchema>
/** The arguments of a call, which fit the input of its tool. */
export type Values = Record<string, Scalar | readonly string[] | undefined>

interface AnyTool {
  readonly name: string
  readonly title: string
  /** For the model: what the tool is for, and when to use it. */
  readonly description: string
  readonly input: Input
}

/** One GET of the API. Parameters that its path names are put there, the others into the query. */
export interface ReadTool extends AnyTool {
  readonly path: string
}

/** A change, which is previewed before it is confirmed. */
export interface ChangeTool extends AnyTool {
  readonly isDestructive: boolean
  /** The operation that `apply` sends with the key, if it takes one: it stores its response with the change. */
  readonly operation?: string
  /** What the change would do now. The confirmed change runs only while this is the same. */
  preview(api: Api, values: Values): Promise<unknown>
  /** @param preview what `preview` returned right before @param key for repeated confirmations */
  apply(api: Api, values: Values, preview: unknown, key: string): Promise<unknown>
}

export const isChange = (tool: ReadTool | ChangeTool): tool is ChangeTool => 'apply' in tool

export const optional = (schema: TSchema, description: string) => Type.Optional({ ...schema, description })
