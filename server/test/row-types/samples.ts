import { sql } from '#db/sql.ts'
import ts from 'typescript'
import { isFragment } from './templates.ts'

/** Which values are generated. */
export interface Sampling {
  readonly checker: ts.TypeChecker
  /**
   * Statements differ by their arguments, so there are several rounds: in even ones what is optional is there and lists
   * have an element, in odd ones not; each takes another member of a union.
   */
  readonly round: number
  /** A text may say by which column to sort. */
  readonly text: string
}

/** A value of a type. */
export function sampleOf(type: ts.Type, sampling: Sampling): unknown {
  const { checker, round, text } = sampling
  const isOdd = round % 2 === 1
  const of = (other: ts.Type) => sampleOf(other, sampling)
  const argumentsOf = (other: ts.Type) => checker.getTypeArguments(other as ts.TypeReference)
  if (type.isUnion()) {
    const given = type.types.filter(({ flags }) => !(flags & nothing))
    if (given.length === 0 || (isOdd && given.length < type.types.length))
      return type.types.some(({ flags }) => flags & ts.TypeFlags.Null) ? null : undefined
    return of(given[round % given.length]!)
  }
  if (type.isLiteral()) return type.value
  if (type.flags & ts.TypeFlags.BooleanLiteral) return checker.typeToString(type) === 'true'
  if (type.flags & ts.TypeFlags.StringLike) return text
  if (type.flags & ts.TypeFlags.NumberLike) return 1
  if (type.flags & ts.TypeFlags.TypeParameter) return of(checker.getBaseConstraintOfType(type)!)
  if (type.flags & (nothing | ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return null
  if (isFragment(type)) return fragmentOf(type, checker)
  if (checker.isTupleType(type)) return argumentsOf(type).map(of)
  if (checker.isArrayType(type)) return isOdd ? [] : argumentsOf(type).map(of)
  const [signature] = type.getCallSignatures()
  if (signature) return () => of(signature.getReturnType())
  const named = instances[type.symbol?.name]
  if (named) return named()
  const properties = checker
    .getPropertiesOfType(type)
    .filter(({ flags }) => !isOdd || !(flags & ts.SymbolFlags.Optional))
    // Made up when it is read: types may hold themselves.
    .map(({ name }, at, all) => {
      const get = () => of(checker.getTypeOfSymbol(all[at]!))
      return [name, { enumerable: true, get }] as const
    })
  return Object.defineProperties({}, Object.fromEntries(properties))
}

const nothing = ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Void

const instances: Record<string, () => unknown> = {
  Buffer: () => Buffer.alloc(0),
  Date: () => new Date(0),
  Map: () => new Map(),
  ReadonlyMap: () => new Map(),
  Set: () => new Set(),
  ReadonlySet: () => new Set(),
}

/** A `Statement`, or what is typed by its rows, returns such rows; a part of a statement is left out. */
function fragmentOf(type: ts.Type, checker: ts.TypeChecker) {
  const [row] = checker.getTypeArguments(type as ts.TypeReference)
  const columns = (row?.getProperties() ?? []).map(({ name }) => {
    const kind = name.endsWith('id') ? 'uuid' : 'text'
    return sql`null::${sql.raw(kind)} as ${sql.ref(name)}`
  })
  if (columns.length > 0) return sql`select ${sql.join(columns)}`
  return type.symbol.name === 'Statement' ? sql`select 1` : sql``
}
