/** Rows of text in columns that are as wide as they need to be. */
export function table(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]!.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
