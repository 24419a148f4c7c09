/** Shows the progress of a command: a bar when the total is known, otherwise a spinner. */
import type { Environment } from '#start/environment.ts'

export interface ProgressIndicator {
  showSpinner(text: string): void
  /** `below` is printed on a second line. */
  showBar(done: number, total: number, text: string, below?: string): void
  /** Erases what was drawn. */
  clear(): void
}

interface Terminal {
  readonly env: Environment
  readonly err: Pick<NodeJS.WriteStream, 'isTTY' | 'write' | 'columns'>
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const redrawMs = 100
const barWidth = 30

/** Draws only on a terminal, and not when the output is JSON. */
export function openProgressIndicator({ err: out, env }: Terminal, asJson: boolean): ProgressIndicator {
  if (asJson || !out.isTTY) return { showSpinner() {}, showBar() {}, clear() {} }
  const hasColor = !env['NO_COLOR']
  let height = 0
  let tick = 0
  let timer: NodeJS.Timeout | undefined
  const paint = (code: number, text: string) => (hasColor ? `\x1b[${code}m${text}\x1b[0m` : text)
  const eraseSequence = () => (height === 0 ? '' : `\r${height > 1 ? `\x1b[${height - 1}A` : ''}\x1b[0J`)
  const draw = (lines: string[]) => {
    out.write(`${eraseSequence()}${lines.join('\n')}`)
    height = lines.length
  }
  const stopSpinner = () => clearInterval(timer)
  return {
    showSpinner(text) {
      stopSpinner()
      const drawFrame = () =>
        draw([`${paint(36, frames[tick++ % frames.length]!)} ${truncate(text, out.columns - 2)}`])
      drawFrame()
      timer = setInterval(drawFrame, redrawMs).unref()
    },
    showBar(done, total, text, below) {
      stopSpinner()
      const filled = total === 0 ? barWidth : Math.floor((done / total) * barWidth)
      const bar = paint(32, '█'.repeat(filled)) + paint(2, '░'.repeat(barWidth - filled))
      const count = `${done.toLocaleString('en')}/${total.toLocaleString('en')} ${text}`
      const lines = [`${bar} ${truncate(count, out.columns - barWidth - 1)}`]
      draw(below ? [...lines, paint(31, truncate(below, out.columns))] : lines)
    },
    clear() {
      stopSpinner()
      out.write(eraseSequence())
      height = 0
    },
  }
}

/** A line that wraps could not be erased. */
const truncate = (text: string, columns: number) =>
  text.length > columns && columns > 1 ? `${text.slice(0, columns - 1)}…` : text
