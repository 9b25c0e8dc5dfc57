/**
 * A table as one list per column, all of the same length. A hundred thousand rows are a dozen lists instead of a hundred
 * thousand objects: a third of the JSON, and a tenth of the memory.
 */
export type Columns<Row> = { readonly [Field in keyof Row]: readonly Row[Field][] };

/** One row of a table. Cells beyond its end are undefined, as in any list. */
export function rowAt<Row extends object>(columns: Columns<Row>, index: number): Row {
  const fields = Object.keys(columns) as (keyof Row)[];
  return Object.fromEntries(fields.map((field) => [field, columns[field][index]])) as Row;
}
