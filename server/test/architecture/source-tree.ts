import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import ts from 'typescript'

/** One file of the repository, and what its text says about it. */
export interface Source {
  /** From the root of the repository, with slashes. */
  readonly path: string
  readonly text: string
  /** Files of the repository, by path. */
  readonly imports: readonly string[]
  /** Packages, by name; what Node brings along is left out. */
  readonly packages: readonly string[]
  readonly marks: ReadonlySet<Mark>
}

export type Mark = 'default export' | 're-export' | 'process.env' | 'SQL' | 'test left out'

const root = resolve(import.meta.dirname, '../../..')
const ignored = /^(node_modules|dist|coverage|\.git|\.vacancy.*)$/

/** Every file that people write, as opposed to what is installed or built. */
export function readTree(folder = ''): Source[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (ignored.test(entry.name)) return []
    if (entry.isDirectory()) return readTree(path)
    return /\.(png|ico|woff2?|log)$/.test(path)
      ? []
      : [sourceOf(path, readFileSync(join(root, path), 'utf8'))]
  })
}

/** Reads one text as the file at `path`. */
export function sourceOf(path: string, text: string): Source {
  const specifiers = new Set<string>()
  const marks = new Set<Mark>()
  if (/\.(ts|tsx|mjs|js)$/.test(path)) {
    const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
    look(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, kind), specifiers, marks)
  }
  const found = [...specifiers].map((specifier) => placeOf(specifier, path))
  return {
    path,
    text,
    imports: found.flatMap(({ file }) => file ?? []),
    packages: found.flatMap(({ name }) => name ?? []),
    marks,
  }
}

/** Collects imports, also of types, and skipped tests. */
function look(node: ts.Node, specifiers: Set<string>, marks: Set<Mark>): void {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    if (node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      specifiers.add(node.moduleSpecifier.text)
      if (ts.isExportDeclaration(node)) marks.add('re-export')
    }
  } else if (ts.isImportTypeNode(node)) {
    if (ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal))
      specifiers.add(node.argument.literal.text)
  } else if (ts.isCallExpression(node)) {
    const [first] = node.arguments
    if (node.expression.kind === ts.SyntaxKind.ImportKeyword && first && ts.isStringLiteralLike(first))
      specifiers.add(first.text)
    if (leavesOut(node)) marks.add('test left out')
  } else if (ts.isExportAssignment(node)) marks.add('default export')
  else if (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(isDefault)) marks.add('default export')
  else if (ts.isPropertyAccessExpression(node)) {
    if (node.name.text === 'env' && ts.isIdentifier(node.expression) && node.expression.text === 'process')
      marks.add('process.env')
  } else if (ts.isTaggedTemplateExpression(node)) {
    if (ts.isIdentifier(node.tag) && node.tag.text === 'sql') marks.add('SQL')
  } else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) {
    if (statement.test(node.text)) marks.add('SQL')
  }
  ts.forEachChild(node, (child) => look(child, specifiers, marks))
}

const isDefault = ({ kind }: ts.ModifierLike) => kind === ts.SyntaxKind.DefaultKeyword

const statement =
  /^\s*(select\s[^]*\sfrom\s|select\s+\w+\(|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|(create|drop|alter)\s+(table|database|role|index|function|schema)\s|grant\s+\w+\s)/i

/** `test.only(…)`, `test('…', { todo: true }, …)` and their like. What a machine lacks may decide at run time. */
function leavesOut({ expression, arguments: given }: ts.CallExpression): boolean {
  const runner = /^(test|suite|it|describe|before|after|context|t)$/
  const words = /^(only|skip|todo)$/
  if (ts.isPropertyAccessExpression(expression))
    return (
      ts.isIdentifier(expression.expression) &&
      runner.test(expression.expression.text) &&
      words.test(expression.name.text)
    )
  if (!ts.isIdentifier(expression) || !runner.test(expression.text)) return false
  return given
    .filter(ts.isObjectLiteralExpression)
    .some(({ properties }) =>
      properties.some(
        (one) =>
          ts.isPropertyAssignment(one) &&
          ts.isIdentifier(one.name) &&
          words.test(one.name.text) &&
          (one.initializer.kind === ts.SyntaxKind.TrueKeyword || ts.isStringLiteralLike(one.initializer)),
      ),
    )
}

function placeOf(specifier: string, from: string): { file?: string; name?: string } {
  if (specifier.startsWith('node:')) return {}
  if (specifier.startsWith('.')) return { file: posix.join(posix.dirname(from), specifier) }
  if (specifier.startsWith('#test/')) return { file: `server/test/${specifier.slice(6)}` }
  if (specifier.startsWith('#')) return { file: `server/src/${specifier.slice(1)}` }
  const [scope = '', name = ''] = specifier.split('/')
  return { name: scope.startsWith('@') ? `${scope}/${name}` : scope }
}
