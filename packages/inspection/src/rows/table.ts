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

/** A table that grows row by row and is kept as columns. */
export class Table<Row extends object> {
  readonly columns: Columns<Row>;
  readonly #lists: { readonly [Field in keyof Row]: Row[Field][] };
  readonly #fields: readonly (keyof Row)[];

  /** @param blank a row that names every column. */
  constructor(blank: Row) {
    this.#fields = Object.keys(blank) as (keyof Row)[];
    this.#lists = Object.fromEntries(this.#fields.map((field) => [field, []])) as unknown as {
      readonly [Field in keyof Row]: Row[Field][];
    };
    this.columns = this.#lists;
  }

  get length(): number {
    return (this.#lists[this.#fields[0] as keyof Row] as readonly unknown[]).length;
  }

  push(row: Row): void {
    for (const field of this.#fields) this.#lists[field].push(row[field]);
  }

  /** A cell of a row that is there. */
  cell<Field extends keyof Row>(index: number, field: Field): Row[Field] {
    return this.#lists[field][index] as Row[Field];
  }

  set<Field extends keyof Row>(index: number, field: Field, value: Row[Field]): void {
    this.#lists[field][index] = value;
  }
}
