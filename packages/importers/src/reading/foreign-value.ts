/** An object that another program wrote: every field may be missing or of the wrong kind. */
export type ForeignObject = Readonly<Record<string, unknown>>;

export const objectOf = (value: unknown): ForeignObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as ForeignObject) : undefined;

export const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The text, or undefined when there is none or it is empty. */
export const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** A token figure: a finite number that is not negative. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && Number.isFinite(value) ? value : undefined;

/** The same object without the properties that are undefined. */
export function withoutUndefined<Value extends object>(value: Value): Value {
  const kept: Partial<Value> = {};
  for (const key in value) if (value[key] !== undefined) kept[key] = value[key];
  return kept as Value;
}
