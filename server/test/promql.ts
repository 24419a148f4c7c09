import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'

/** The metrics of a PromQL expression with the labels of their matchers. */
export interface PromqlQuery {
  metrics: { name: string; labels: string[] }[]
  /** The labels that results are grouped by. */
  groupedBy: string[]
}

/** @throws Error when the expression is not PromQL */
export function parsePromql(expression: string): PromqlQuery {
  const text = expression.replaceAll('$__rate_interval', '5m')
  const metrics: PromqlQuery['metrics'] = []
  const groupedBy: string[] = []
  parser.parse(text).iterate({
    enter({ name, type, from, to, node }) {
      const code = text.slice(from, to)
      if (type.isError) throw new Error(`This is not PromQL: ${text}`)
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector')
        metrics.push({ name: code, labels: [] })
      if (name !== 'LabelName') return
      const labels = node.parent?.name === 'GroupingLabels' ? groupedBy : metrics.at(-1)!.labels
      labels.push(code)
    },
  })
  return { metrics, groupedBy }
}

interface AlertRule {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}

export const parseAlerts = (text: string): AlertRule[] =>
  (parse(text) as { groups: { rules: AlertRule[] }[] }).groups.flatMap(({ rules }) => rules)
