import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'

/** A regular expression and its place. */
export interface Pattern {
  readonly source: string
  readonly flags: string
  readonly place: string
}

const root = resolve(import.meta.dirname, '../../..')

/** Every regular expression literal of the code. */
export function patternsOfPrograms(): Pattern[] {
  const files = globSync(
    [
      'server/{bin,src,migrations}/**/*.ts',
      'client/src/**/*.ts',
      'sandbox/**/*.ts',
      'console/src/**/*.{ts,tsx}',
    ],
    { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' },
  )
  return files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => patternsIn(readFileSync(resolve(root, file), 'utf8'), file))
}

/** Every pattern of the contract for bodies, parameters and headers. */
export function patternsOfContract(): Pattern[] {
  const found: Pattern[] = []
  const visit = (part: unknown, place: string): void => {
    if (part === null || typeof part !== 'object') return
    for (const [name, inner] of Object.entries(part)) {
      if (name === 'pattern' && typeof inner === 'string') found.push({ source: inner, flags: 'u', place })
      else visit(inner, `${place}/${name}`)
    }
  }
  visit(JSON.parse(readFileSync(resolve(root, 'openapi.json'), 'utf8')), 'openapi.json#')
  return found
}

export function patternsIn(text: string, file: string): Pattern[] {
  const found: Pattern[] = []
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind)
  const visit = (node: ts.Node): void => {
    const place = () => `${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      found.push({ source: node.text.slice(1, end), flags: node.text.slice(end + 1), place: place() })
    } else if (isMadeOfText(node)) {
      const [source, flags] = node.arguments!.map((one) => (ts.isStringLiteralLike(one) ? one.text : ''))
      found.push({ source: source!, flags: flags ?? '', place: place() })
    } else if (isMemberCalledPattern(node))
      found.push({ source: (node.initializer as ts.StringLiteral).text, flags: 'u', place: place() })
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

const isMadeOfText = (node: ts.Node): node is ts.NewExpression | ts.CallExpression =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
  node.expression.getText() === 'RegExp' &&
  node.arguments?.[0] !== undefined &&
  ts.isStringLiteralLike(node.arguments[0])

const isMemberCalledPattern = (node: ts.Node): node is ts.PropertyAssignment =>
  ts.isPropertyAssignment(node) &&
  node.name.getText() === 'pattern' &&
  ts.isStringLiteralLike(node.initializer)
