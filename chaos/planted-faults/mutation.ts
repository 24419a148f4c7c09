import ts from 'typescript'
import { replaceInSql, type Place, type SqlTarget } from './sql-mutation.ts'

/** A change of one place in the code, named by the function around it. */
export type Mutation = {
  /** Path from the root of the repository. */
  readonly file: string
  /** A function, or a constant of the module; `outer.inner` when the name of a nested one occurs twice. */
  readonly function: string
  /** Code; for a call it can be built from the code of the call. An empty text removes what can be removed. */
  readonly becomes: string | ((call: { args: string[]; receiver: string }) => string)
} & (CodeTarget | SqlTarget)

/** What is replaced. Exactly one such place must be in the function. */
type CodeTarget =
  /** All that the function does: it returns the value. Of a constant, its value. */
  | { readonly whole: true }
  /** The condition of an `if` or a loop that mentions the name. */
  | { readonly condition: string }
  /** A comparison that mentions the name. */
  | { readonly comparison: string }
  /** The `a ? b : c` whose condition mentions the name. */
  | { readonly conditional: string }
  /** A call of the name, or one of its arguments. */
  | { readonly call: string; readonly argument?: number }
  /** A statement that does nothing but this call. */
  | { readonly statement: string }
  /** The `await` of a call: errors are ignored, too. */
  | { readonly awaitOf: string }
  /** The value of a property in an object. */
  | { readonly property: string }
  /** The initial value of a variable. */
  | { readonly variable: string }
  /** The name where it is used as a value. */
  | { readonly reference: string }

/** Returns the source with the mutation. @throws Error when there is not exactly one place for it */
export function mutate(source: string, mutation: Mutation): string {
  const file = ts.createSourceFile(mutation.file, source, ts.ScriptTarget.Latest, true)
  const scope = findFunction(file, mutation.function)
  const found = isSql(mutation)
    ? templatesOf(scope).flatMap((node) =>
        replaceInSql(node.getText(), node.getStart(), mutation, mutation.becomes as string),
      )
    : findPlaces(scope, mutation)
  const [place] = found
  if (!place || found.length > 1)
    throw new Error(`${describe(mutation)} occurs ${found.length} times, not once.`)
  return source.slice(0, place.start) + place.text + source.slice(place.end)
}

const isSql = (mutation: Mutation): mutation is Mutation & SqlTarget =>
  ['sqlLock', 'sqlCondition', 'sqlCall', 'sqlColumn'].some((kind) => kind in mutation)

const describe = ({ file, function: name, becomes: _, ...target }: Mutation) =>
  `In ${name} of ${file}, ${JSON.stringify(target)}`

const descendants = (node: ts.Node): ts.Node[] => {
  const found: ts.Node[] = []
  const visit = (child: ts.Node): void => {
    found.push(child)
    ts.forEachChild(child, visit)
  }
  ts.forEachChild(node, visit)
  return found
}

function findFunction(file: ts.SourceFile, path: string): ts.Node {
  return path.split('.').reduce<ts.Node>((scope, name) => {
    const found = descendants(scope).filter(
      (node) =>
        ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) &&
          node.body &&
          named(node, name)) ||
        (ts.isVariableDeclaration(node) && node.initializer && named(node, name)) ||
        (ts.isPropertyAssignment(node) && ts.isFunctionLike(node.initializer) && named(node, name)),
    )
    if (found.length !== 1)
      throw new Error(`${file.fileName} has ${found.length} functions named ${name}, not one.`)
    return found[0]!
  }, file)
}

const named = (node: ts.NamedDeclaration, name: string) => node.name?.getText() === name

function findPlaces(scope: ts.Node, { becomes, ...target }: Mutation & CodeTarget): Place[] {
  const text = becomes as string
  const replaced = (node: ts.Node, by = text): Place => ({
    start: node.getStart(),
    end: node.getEnd(),
    text: by,
  })
  const nodes = descendants(scope)
  if ('whole' in target)
    return [replaced(bodyOf(scope), `{ return ${text} }`)].map((place) => asValue(scope, place, text))
  if ('condition' in target)
    return nodes
      .flatMap(conditionOf)
      .filter((node) => mentions(node, target.condition))
      .map((node) => replaced(node))
  if ('comparison' in target)
    return nodes
      .filter((node) => isComparison(node) && mentions(node, target.comparison))
      .map((node) => replaced(node, `(${text})`))
  if ('conditional' in target)
    return nodes
      .filter((node) => ts.isConditionalExpression(node) && mentions(node.condition, target.conditional))
      .map((node) => replaced(node, `(${text})`))
  if ('call' in target)
    return nodes
      .filter((node): node is ts.CallExpression => isCallOf(node, target.call))
      .map((node) =>
        target.argument === undefined
          ? replaced(node, codeOfCall(node, becomes))
          : replaced(node.arguments[target.argument]!),
      )
  if ('statement' in target)
    return nodes
      .filter(
        (node) => ts.isExpressionStatement(node) && isCallOf(withoutAwait(node.expression), target.statement),
      )
      .map((node) => replaced(node, `${text};`))
  if ('awaitOf' in target)
    return nodes
      .filter(
        (node): node is ts.AwaitExpression =>
          ts.isAwaitExpression(node) && isCallOf(node.expression, target.awaitOf),
      )
      .map((node) => replaced(node, `void ${node.expression.getText()}.catch(() => {})`))
  if ('property' in target)
    return nodes
      .filter(
        (node) =>
          (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) &&
          named(node, target.property),
      )
      .map((node) => (text ? replaced(node, `${target.property}: ${text}`) : withComma(node)))
  if ('variable' in target)
    return nodes
      .filter(
        (node): node is ts.VariableDeclaration =>
          ts.isVariableDeclaration(node) && mentions(node.name, target.variable),
      )
      .map((node) => replaced(node.initializer!))
  return nodes.filter((node) => isReference(node, target.reference)).map((node) => replaced(node))
}

function bodyOf(scope: ts.Node): ts.Node {
  const declared =
    ts.isVariableDeclaration(scope) || ts.isPropertyAssignment(scope) ? scope.initializer! : scope
  return ts.isFunctionLike(declared) ? (declared as ts.FunctionLikeDeclaration).body! : declared
}

/** A constant has a value instead of a body. */
const asValue = (scope: ts.Node, place: Place, text: string): Place =>
  ts.isVariableDeclaration(scope) && !ts.isFunctionLike(scope.initializer) ? { ...place, text } : place

const conditionOf = (node: ts.Node): ts.Node[] => {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)) return [node.expression]
  return ts.isForStatement(node) && node.condition ? [node.condition] : []
}

const comparisons: readonly ts.SyntaxKind[] = [
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
]
const isComparison = (node: ts.Node) =>
  ts.isBinaryExpression(node) && comparisons.includes(node.operatorToken.kind)

const mentions = (node: ts.Node, name: string): boolean =>
  [node, ...descendants(node)].some(
    (one) => (ts.isIdentifier(one) || ts.isStringLiteral(one)) && one.text === name,
  )

const isCallOf = (node: ts.Node, name: string): node is ts.CallExpression =>
  ts.isCallExpression(node) &&
  (ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression).getText() === name

function codeOfCall(
  { expression, arguments: args }: ts.CallExpression,
  becomes: Mutation['becomes'],
): string {
  if (typeof becomes === 'string') return becomes
  const receiver = ts.isPropertyAccessExpression(expression) ? expression.expression.getText() : ''
  return becomes({ args: args.map((one) => one.getText()), receiver })
}

const withoutAwait = (node: ts.Expression) => (ts.isAwaitExpression(node) ? node.expression : node)

/** With the comma behind it, if there is one. */
function withComma(node: ts.Node): Place {
  const rest = node.getSourceFile().text.slice(node.getEnd())
  return { start: node.getStart(), end: node.getEnd() + (/^\s*,/.exec(rest)?.[0].length ?? 0), text: '' }
}

const isReference = (node: ts.Node, name: string) =>
  ts.isIdentifier(node) &&
  node.text === name &&
  !(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) &&
  !ts.isBindingElement(node.parent) &&
  !ts.isParameter(node.parent) &&
  !(ts.isVariableDeclaration(node.parent) && node.parent.name === node) &&
  !(ts.isPropertyAssignment(node.parent) && node.parent.name === node)

const templatesOf = (scope: ts.Node) =>
  descendants(scope).filter(
    (node) =>
      (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)) &&
      // The fragments inside of a template belong to it.
      !isInsideTemplate(node, scope),
  )

const isInsideTemplate = (node: ts.Node, scope: ts.Node): boolean =>
  node.parent !== scope && (ts.isTemplateSpan(node.parent) || isInsideTemplate(node.parent, scope))
