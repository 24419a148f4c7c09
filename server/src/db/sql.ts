import tag, { empty, join, raw, type Sql } from 'sql-template-tag'

/** A part of a statement, with the values that are sent beside its text. */
export type Fragment = Sql

/** A statement with the type of its rows. */
export interface Statement<Row = unknown> extends Sql {
  readonly [rowType]?: Row
}

declare const rowType: unique symbol

/**
 * A nullable column in the row type of a statement that returns no rows where it is null. The check of row types
 * (`test/row-types`) trusts this type.
 */
export type NotNull<T> = T

/** A statement as text. */
export interface SqlText {
  readonly text: string
  readonly values?: readonly unknown[] | undefined
}

const quote = (text: string, mark: string) => mark + text.replaceAll(mark, mark + mark) + mark

/** Values become parameters, fragments a part of the text. */
export const sql = Object.assign(
  <Row = unknown>(strings: TemplateStringsArray, ...values: readonly unknown[]): Statement<Row> =>
    tag(strings, ...values),
  {
    /** The name of a column, table or role, with a schema or table before a dot. */
    ref: (name: string): Fragment =>
      raw(
        name
          .split('.')
          .map((part) => quote(part, '"'))
          .join('.'),
      ),
    /** A constant in the text, which the planner sees. */
    lit: (value: string | number | boolean): Fragment =>
      raw(typeof value === 'string' ? quote(value, "'") : String(value)),
    /** Text as it is: never from outside. */
    raw,
    join: (parts: readonly unknown[], separator = ', '): Fragment =>
      parts.length > 0 ? join(parts, separator) : empty,
  },
)
