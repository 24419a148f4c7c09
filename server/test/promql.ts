/** The metrics of a PromQL expression with the labels of their matchers. */
export interface PromqlQuery {
  metrics: { name: string; labels: string[] }[]
  /** The labels that results are grouped by. */
  groupedBy: string[]
}

const words = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan', 'start', 'end'])

/** @throws Error for brackets that do not close */
export function parsePromql(expression: string): PromqlQuery {
  const text = expression
    .replaceAll('$__rate_interval', '5m')
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\[[^\]]*\]/g, '')
  for (const [open, close] of ['()', '{}', '[]'])
    if (text.split(open!).length !== text.split(close!).length)
      throw new Error(`${open} and ${close} do not match in: ${expression}`)
  const groupedBy: string[] = []
  const plain = text.replace(
    /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g,
    (_, labels: string) => {
      groupedBy.push(...labels.split(',').map((label) => label.trim()))
      return ' '
    },
  )
  const metrics = [...plain.matchAll(/([a-zA-Z_:][\w:]*)(?:\s*\{([^}]*)\})?(?!\s*\(|[\w:])/g)]
    .filter(([, name]) => !words.has(name!.toLowerCase()) && !isInside(plain, name!))
    .map(([, name, matchers = '']) => ({
      name: name!,
      labels: [...matchers.matchAll(/([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
    }))
  return { metrics, groupedBy: groupedBy.filter(Boolean) }
}

/** Part of a number such as 1.2e9. */
const isInside = (text: string, name: string) => new RegExp(`\\d${name}\\b`).test(text) && /^e\d*$/.test(name)

export interface AlertRule {
  alert: string
  expr: string
  for: string
  severity: string
  summary: string
  description: string
}

/** Parses the alert rules, which use a small part of YAML. @throws Error for anything else */
export function parseAlerts(text: string): AlertRule[] {
  const rules: Record<string, string>[] = []
  let folding: string | undefined
  for (const line of text.split('\n')) {
    if (/^(#.*|groups:| {2}- name: \w+| {4}rules:| {8}(labels|annotations):|)$/.test(line)) {
      folding = undefined
      continue
    }
    const [, dash, key, value] = /^ {6}(- | {2,4})(\w+): (.+)$/.exec(line) ?? []
    if (dash === '- ') rules.push({})
    const rule = rules.at(-1)
    if (key && rule) {
      folding = value === '>-' ? key : undefined
      rule[key] = folding ? '' : unquoted(value!)
    } else if (folding && rule && /^ {10}\S/.test(line))
      rule[folding] = `${rule[folding]} ${line.trim()}`.trim()
    else throw new Error(`This line is not of the form of the file: ${line}`)
  }
  return rules as unknown as AlertRule[]
}

function unquoted(value: string): string {
  if (value.startsWith("'") && value.endsWith("'")) return value.slice(1, -1).replaceAll("''", "'")
  // A plain scalar must not contain the start of a comment or mapping.
  if (/: | #|^["&*!|>%@`[{]/.test(value)) throw new Error(`This needs quotes: ${value}`)
  return value
}
