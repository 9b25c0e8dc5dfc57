/** Values that a column accepts, for columns that accept only some. */
const ONE_OF: Readonly<Record<string, readonly string[]>> = {
  sensitivity: ["public", "internal", "confidential", "restricted"],
  kind: ["message", "pin", "pin-lifted"],
};

/** Returns a different but plausible value for a column of a store: what a careful forger would put there. */
export function otherValue(column: string, value: unknown): string | number | boolean | Uint8Array {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number" || typeof value === "bigint") return Number(value) + 1_000;
  if (value instanceof Uint8Array) return Buffer.concat([value, Buffer.from("x")]);
  if (typeof value !== "string") return column === "ttl_seconds" ? 60 : "other";
  const another = ONE_OF[column]?.find((one) => one !== value);
  if (another !== undefined) return another;
  if (value === "") return "{}";
  // An id that differs in one digit may be another row's.
  if (/(?:_id|_key|word)$/.test(column)) return `${value}x`;
  // The last digit, so that a time stays a time, a digest a digest and JSON stays JSON.
  const digit = /\d(?=\D*$)/.exec(value);
  if (digit === null) return `${value}x`;
  return `${value.slice(0, digit.index)}${(Number(digit[0]) + 1) % 10}${value.slice(digit.index + 1)}`;
}
