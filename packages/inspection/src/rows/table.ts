import type { Columns } from "./columns.ts";

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
