import ts from 'typescript'
import type { Column } from './describe.ts'

/** The faults of a row type, one sentence each. */
export function faultsOf(row: ts.Type, columns: readonly Column[], checker: ts.TypeChecker): string[] {
  const members = new Map(
    (row.isUnion() ? row.types : [row]).flatMap((type) =>
      checker.getPropertiesOfType(type).map((member) => [member.name, member]),
    ),
  )
  const returned = new Set(columns.map(({ name }) => name))
  const faults = columns
    .filter(({ name }, at) => columns.findIndex((column) => column.name === name) !== at)
    .map(({ name }) => `${name} is returned twice`)
  for (const [name, { flags }] of members)
    if (!returned.has(name) && !(flags & ts.SymbolFlags.Optional)) faults.push(`${name} is not returned`)
  for (const column of columns) {
    const member = members.get(column.name)
    if (member) faults.push(...faultsOfMember(column, member, checker))
    else if (!checker.getIndexInfosOfType(row).length)
      faults.push(`${column.name} (${column.type}) is returned, but the row type has no such member`)
  }
  return faults
}

function faultsOfMember(
  { name, type, value, isJson, nullable }: Column,
  symbol: ts.Symbol,
  checker: ts.TypeChecker,
) {
  const member = checker.getTypeOfSymbol(symbol)
  const declared = `${name} is ${checker.typeToString(member)}`
  const faults: string[] = []
  if (!(isJson ? canBeJson(member) : fits(member, value, checker)))
    faults.push(`${declared}, but PostgreSQL returns ${type}, which the driver makes a ${kindOf(value)}`)
  const mayBeNull = parts(member).some(({ flags }) => flags & (ts.TypeFlags.Null | anything))
  if (nullable && !mayBeNull && !isNotNull(symbol)) faults.push(`${declared}, but ${nullable} may be null`)
  return faults
}

/** Whether it is declared as a `NotNull<…>`. */
const isNotNull = ({ declarations }: ts.Symbol) =>
  declarations?.some(
    (node) => ts.isPropertySignature(node) && node.type && /^NotNull</.test(node.type.getText()),
  ) ?? false

const anything = ts.TypeFlags.Any | ts.TypeFlags.Unknown
const parts = (type: ts.Type): ts.Type[] => (type.isUnion() ? type.types : [type])

/** Whether every value of the type has this kind. */
function fits(type: ts.Type, value: unknown, checker: ts.TypeChecker): boolean {
  const { flags } = type
  if (flags & (anything | ts.TypeFlags.Null | ts.TypeFlags.Undefined)) return true
  if (type.isUnion()) return type.types.every((part) => fits(part, value, checker))
  if (type.isIntersection()) return type.types.some((part) => fits(part, value, checker))
  if (typeof value === 'string') return (flags & ts.TypeFlags.StringLike) !== 0
  if (typeof value === 'number') return (flags & ts.TypeFlags.NumberLike) !== 0
  if (typeof value === 'boolean') return (flags & ts.TypeFlags.BooleanLike) !== 0
  if (Array.isArray(value)) {
    if (!checker.isArrayType(type) && !checker.isTupleType(type)) return false
    return checker.getTypeArguments(type as ts.TypeReference).every((item) => fits(item, value[0], checker))
  }
  return type.symbol?.name === kindOf(value)
}

const canBeJson = (type: ts.Type) =>
  parts(type).every(
    ({ flags, symbol }) => !(flags & ts.TypeFlags.BigIntLike) && !/^(Date|Buffer)$/.test(symbol?.name),
  )

const kindOf = (value: unknown): string =>
  Array.isArray(value)
    ? `${kindOf(value[0])}[]`
    : typeof value === 'object'
      ? value!.constructor.name
      : typeof value
