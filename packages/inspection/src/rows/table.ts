/**
 * A table stored as one list per column, all of the same length. A hundred thousand rows are a dozen lists instead of a
 * hundred thousand objects: a third of the JSON, and a tenth of the memory.
 */
export type Columns<Row> = { readonly [Field in keyof Row]: readonly Row[Field][] };

/** Returns one row of a table. Cells beyond its end are undefined, as in any list. */
export function rowAt<Row extends object>(columns: Columns<Row>, index: number): Row {
  const fields = Object.keys(columns) as (keyof Row)[];
  return Object.fromEntries(fields.map((field) => [field, columns[field][index]])) as Row;
}

/** Rows of a table that are new or changed: their indexes, ascending, and their current contents. */
export interface ColumnsGrowth<Row> {
  readonly places: readonly number[];
  readonly columns: Columns<Row>;
}

/** The same for a list of rows. */
export interface RowsGrowth<Row> {
  readonly places: readonly number[];
  readonly rows: readonly Row[];
}

/** Counts how often something grew. Rows record it, so that one can ask for newer ones. */
export class Revision {
  number = 1;
}

/** A table that grows row by row and is stored as columns. */
export class Table<Row extends object> {
  readonly columns: Columns<Row>;
  readonly #lists: { readonly [Field in keyof Row]: Row[Field][] };
  readonly #fields: readonly (keyof Row)[];
  readonly #changes: ChangedPlaces;

  /** @param blank a row that names every column. */
  constructor(blank: Row, revision: Revision) {
    this.#changes = new ChangedPlaces(revision);
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
    this.#changes.note(this.length);
    for (const field of this.#fields) this.#lists[field].push(row[field]);
  }

  /** Returns a cell of an existing row. */
  cell<Field extends keyof Row>(index: number, field: Field): Row[Field] {
    return this.#lists[field][index] as Row[Field];
  }

  set<Field extends keyof Row>(index: number, field: Field, value: Row[Field]): void {
    if (this.#lists[field][index] === value) return;
    this.#changes.note(index);
    this.#lists[field][index] = value;
  }

  /** Returns the rows that changed after a revision. */
  since(revision: number): ColumnsGrowth<Row> {
    const places = this.#changes.since(revision);
    const cells = this.#fields.map((field) => [field, places.map((place) => this.#lists[field][place])]);
    return { places, columns: Object.fromEntries(cells) as Columns<Row> };
  }
}

/** A growing list of rows, for tables with few rows. */
export class RowList<Row> {
  readonly rows: Row[] = [];
  readonly #changes: ChangedPlaces;

  constructor(revision: Revision) {
    this.#changes = new ChangedPlaces(revision);
  }

  /** Puts a row at an existing index, or at the end. */
  put(place: number, row: Row): void {
    this.#changes.note(place);
    this.rows[place] = row;
  }

  /** Appends a row and returns its index. */
  push(row: Row): number {
    this.put(this.rows.length, row);
    return this.rows.length - 1;
  }

  /** Returns the rows that changed after a revision. */
  since(revision: number): RowsGrowth<Row> {
    const places = this.#changes.since(revision);
    return { places, rows: places.map((place) => this.rows[place] as Row) };
  }
}

/** The revision at which each row of a table last changed. */
class ChangedPlaces {
  readonly #revision: Revision;
  readonly #changedAt: number[] = [];

  constructor(revision: Revision) {
    this.#revision = revision;
  }

  note(place: number): void {
    this.#changedAt[place] = this.#revision.number;
  }

  since(revision: number): readonly number[] {
    return this.#changedAt.flatMap((changedAt, place) => (changedAt > revision ? [place] : []));
  }
}
