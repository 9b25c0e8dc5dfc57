/** A log with one JSON record a line. Texts go in as they are, so that a log can have lines which are not JSON. */
export function jsonLines(records: readonly unknown[]): Uint8Array {
  const lines = records.map((record) => (typeof record === "string" ? record : JSON.stringify(record)));
  return new TextEncoder().encode(`${lines.join("\n")}\n`);
}

/** A log that is one JSON document. */
export const jsonDocument = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
