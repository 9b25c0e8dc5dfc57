import type { JsonValue } from "@threadfold/core";
import { redactSecrets } from "./redact-secrets.ts";

/**
 * A JSON value whose texts, at any depth, are redacted. Keys stay, and so do texts that are known to be ids. The same
 * value when there was nothing to redact.
 */
export async function redactJson<Value extends JsonValue | undefined>(
  value: Value,
  ids: ReadonlySet<string> = new Set(),
): Promise<Value> {
  const texts = new Set<string>();
  collect(value, texts);
  const redacted = new Map<string, string>();
  // One look at all texts together is much cheaper than one at each, and mostly there is nothing to find.
  if ((await redactSecrets([...texts].join("\n\n"))).kinds.length === 0) return value;
  for (const text of texts) if (!ids.has(text)) redacted.set(text, (await redactSecrets(text)).text);
  return replaced(value, redacted) as Value;
}

function collect(value: JsonValue | undefined, into: Set<string>): void {
  if (typeof value === "string") into.add(value);
  else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) collect(item, into);
}

function replaced(value: JsonValue | undefined, texts: ReadonlyMap<string, string>): JsonValue | undefined {
  if (typeof value === "string") return texts.get(value) ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => replaced(item, texts) as JsonValue);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, texts)]));
}
