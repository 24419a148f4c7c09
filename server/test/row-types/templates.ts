import { globSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import ts from 'typescript'

const root = resolve(import.meta.dirname, '../../..')

/** A template `sql<Row>` of the source, and the code that builds its statement. */
export interface Template {
  /** File and line, as an editor opens them. */
  readonly place: string
  readonly row: ts.Type
  /** The types of the values that the code is given, in the order of their numbers. */
  readonly samples: readonly ts.Type[]
  /** The body of a function of `sample(number)`. */
  readonly body: string
}

/** The typed templates of one file, and what their code imports. */
export interface TemplateFile {
  readonly path: string
  readonly imports: string
  readonly templates: readonly Template[]
}

export function readTemplates(patterns: readonly string[]): {
  checker: ts.TypeChecker
  files: TemplateFile[]
} {
  const paths = globSync(patterns, { cwd: root, exclude: (name) => name === 'node_modules' })
    .filter((path) => !path.endsWith('.test.ts'))
    .sort()
    .map((path) => join(root, path))
    .filter((path) => ts.sys.readFile(path)!.includes('sql'))
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const program = ts.createProgram(paths, ts.parseJsonConfigFileContent(config, ts.sys, root).options)
  const checker = program.getTypeChecker()
  return { checker, files: paths.map((path) => readFile(program.getSourceFile(path)!, checker)) }
}

function readFile(source: ts.SourceFile, checker: ts.TypeChecker): TemplateFile {
  const imports = new Set<ts.Node>()
  const templates: Template[] = []
  /** As it is written, or as the place says where it stands. */
  const rowOf = (node: ts.Node) =>
    checker.getTypeArguments(checker.getTypeAtLocation(node) as ts.TypeReference)[0]
  const visit = (node: ts.Node): void => {
    const row = isSqlTemplate(node) && rowOf(node)
    // What is generic has its rows from templates that are checked themselves.
    if (row && isObject(row)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
      const place = `${relative(root, source.fileName)}:${line}`
      templates.push({ place, row, ...extract(node, checker, imports) })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { path: source.fileName, imports: [...imports].map((node) => node.getText()).join('\n'), templates }
}

const isObject = (type: ts.Type): boolean =>
  type.isUnion()
    ? type.types.every(isObject)
    : (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0

const isSqlTemplate = (node: ts.Node): node is ts.TaggedTemplateExpression =>
  ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql'

/** `[a, { b }]` of a declaration, as opposed to the declaration itself. */
const isPartOfPattern = (node: ts.Node) =>
  ts.isBindingElement(node) || ts.isObjectBindingPattern(node) || ts.isArrayBindingPattern(node)

/** A part of a statement, as opposed to a value that is sent beside it. */
export const isFragment = (type: ts.Type): boolean =>
  type.isUnion() ? type.types.some(isFragment) : type.getProperty('strings') !== undefined

/**
 * Copies an expression out of its function, together with the declarations that it needs. What only a caller or the
 * database knows (parameters, what is awaited, variables of loops) becomes a sample of its type.
 */
function extract(expression: ts.Node, checker: ts.TypeChecker, imports: Set<ts.Node>) {
  const samples: ts.Type[] = []
  const declared = new Map<ts.Node, string>()
  const copies: ts.Node[] = []

  const isCopied = (node: ts.Node) => copies.some((copy) => copy.pos <= node.pos && node.end <= copy.end)
  const sampleOf = (type: ts.Type) => `sample(${samples.push(type) - 1})`

  /** The text of a node, in which values are null: what they are does not matter to the statement. */
  const copy = (node: ts.Node): string => {
    copies.push(node)
    const source = node.getSourceFile().text
    let text = ''
    let end = node.getStart()
    const visit = (inner: ts.Node): void => {
      if (ts.isTypeNode(inner)) return
      if (ts.isTemplateSpan(inner) && isSqlTemplate(inner.parent.parent) && isValue(inner.expression)) {
        text += `${source.slice(end, inner.expression.getStart())}null`
        end = inner.expression.end
        return
      }
      if (ts.isIdentifier(inner)) declare(inner)
      ts.forEachChild(inner, visit)
    }
    visit(node)
    return text + source.slice(end, node.end)
  }
  const isValue = (node: ts.Node) => !isFragment(checker.getTypeAtLocation(node))

  const declare = (name: ts.Identifier): void => {
    const symbol = ts.isShorthandPropertyAssignment(name.parent)
      ? checker.getShorthandAssignmentValueSymbol(name.parent)
      : checker.getSymbolAtLocation(name)
    const declaration = symbol?.declarations?.find((node) => node.getSourceFile() === name.getSourceFile())
    if (!declaration || isCopied(declaration)) return
    const whole = ts.findAncestor(declaration, (node) => !isPartOfPattern(node))!
    if (declared.has(whole)) return
    declared.set(whole, '')
    const imported = ts.findAncestor(whole, ts.isImportDeclaration)
    if (imported) imports.add(imported)
    else declared.set(whole, declarationOf(whole))
  }
  const declarationOf = (node: ts.Node): string => {
    if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node))
      return copy(node).replace(/^export /, '')
    if (ts.isParameter(node)) return `const ${copy(node.name)} = ${sampleOf(checker.getTypeAtLocation(node))}`
    if (!ts.isVariableDeclaration(node)) return ''
    if (node.initializer && !awaits(node.initializer)) return `const ${copy(node)}`
    return `const ${copy(node.name)} = ${sampleOf(typeOfVariable(node))}`
  }

  const typeOfVariable = (node: ts.VariableDeclaration): ts.Type => {
    const loop = node.parent.parent
    if (!ts.isForOfStatement(loop)) return checker.getTypeAtLocation(node.initializer ?? node)
    const list = checker.getTypeAtLocation(loop.expression)
    return checker.getIndexTypeOfType(list, ts.IndexKind.Number) ?? checker.getTypeAtLocation(node)
  }

  const result = copy(expression)
  // Those of the module first: a function may use what stands below it.
  const isLocal = (node: ts.Node) => Number(ts.findAncestor(node.parent, ts.isFunctionLike) !== undefined)
  const declarations = [...declared]
    .sort(([one], [other]) => isLocal(one) - isLocal(other) || one.pos - other.pos)
    .map(([, text]) => text)
  return { samples, body: [...declarations, `return ${result}`].join('\n') }
}

const awaits = (node: ts.Node): boolean =>
  ts.isAwaitExpression(node) || (!ts.isFunctionLike(node) && (ts.forEachChild(node, awaits) ?? false))
