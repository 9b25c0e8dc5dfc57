import { type ArtifactId, asArtifactId, type JsonValue } from "@threadfold/core";

/** An artifact id as a whole token: letters, digits and underscores beside it would make it part of another word. */
const REFERENCE = /(?<![A-Za-z0-9_])artifact_[0-9a-f]{16,64}(?![A-Za-z0-9_])/g;
const PREFIX = "artifact_";

/** The artifact ids in a text, in order, each once. Linear in the text. */
export function referencesIn(text: string): readonly ArtifactId[] {
  if (!text.includes(PREFIX)) return [];
  return [...new Set(text.match(REFERENCE) ?? [])].map(asArtifactId);
}

/** The artifact ids in any text of a JSON value, at any depth, in order, each once. */
export function referencesInJson(value: JsonValue | undefined): readonly ArtifactId[] {
  const found = new Set<ArtifactId>();
  // A stack of its own instead of recursion, because arguments may be nested as deeply as a provider allows.
  const waiting: (JsonValue | undefined)[] = [value];
  while (waiting.length > 0) {
    const item = waiting.pop();
    if (typeof item === "string") for (const id of referencesIn(item)) found.add(id);
    else if (typeof item === "object" && item !== null) {
      const inside = Array.isArray(item) ? item : Object.values(item);
      for (let index = inside.length - 1; index >= 0; index--) waiting.push(inside[index]);
    }
  }
  return [...found];
}
