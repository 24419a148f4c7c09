// Shows a person who waits how far it is: a bar where the end is known, a spinner where it is not.

export interface Meter {
  /** Something is under way, and nobody knows for how long. */
  spin(text: string): void
  /** So much of so much is done; a second line says what else there is to say. */
  fill(done: number, total: number, text: string, below?: string): void
  /** Takes away what was drawn. */
  clear(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const redrawMs = 100
const barWidth = 30

/** Draws only for people: on a terminal, and not when a program reads. */
export function openMeter(
  out: Pick<NodeJS.WriteStream, 'isTTY' | 'write' | 'columns'>,
  { isQuiet, hasColor }: { isQuiet: boolean; hasColor: boolean },
): Meter {
  if (isQuiet || !out.isTTY) return { spin() {}, fill() {}, clear() {} }
  let height = 0
  let tick = 0
  let timer: NodeJS.Timeout | undefined
  const paint = (code: number, text: string) => (hasColor ? `\x1b[${code}m${text}\x1b[0m` : text)
  const wipe = () => (height === 0 ? '' : `\r${height > 1 ? `\x1b[${height - 1}A` : ''}\x1b[0J`)
  const draw = (lines: string[]) => {
    out.write(`${wipe()}${lines.join('\n')}`)
    height = lines.length
  }
  const rest = () => clearInterval(timer)
  return {
    spin(text) {
      rest()
      const turn = () =>
        draw([`${paint(36, frames[tick++ % frames.length]!)} ${fitting(text, out.columns - 2)}`])
      turn()
      timer = setInterval(turn, redrawMs).unref()
    },
    fill(done, total, text, below) {
      rest()
      const filled = total === 0 ? barWidth : Math.floor((done / total) * barWidth)
      const bar = paint(32, '█'.repeat(filled)) + paint(2, '░'.repeat(barWidth - filled))
      const count = `${done.toLocaleString('en')}/${total.toLocaleString('en')} ${text}`
      const lines = [`${bar} ${fitting(count, out.columns - barWidth - 1)}`]
      draw(below ? [...lines, paint(31, fitting(below, out.columns))] : lines)
    },
    clear() {
      rest()
      out.write(wipe())
      height = 0
    },
  }
}

/** A line that wraps could not be taken away again. */
const fitting = (text: string, columns: number) =>
  text.length > columns && columns > 1 ? `${text.slice(0, columns - 1)}…` : text
