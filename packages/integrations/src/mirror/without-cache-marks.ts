/** How APIs and SDKs say where a cached prefix ends. Hosts move these marks from request to request. */
const CACHE_MARKS: ReadonlySet<string> = new Set([
  ...["cache_control", "cacheControl", "prompt_cache_breakpoint", "promptCacheBreakpoint"],
]);

/**
 * A message without the marks that only say where a cached prefix ends, without fields that are undefined, and without
 * objects that held nothing else. Instances of classes, such as URLs and bytes, stay as they are.
 */
export function withoutCacheMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCacheMarks);
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  const kept = Object.entries(value).flatMap(([key, field]) => {
    if (field === undefined || CACHE_MARKS.has(key)) return [];
    const bare = withoutCacheMarks(field);
    return isEmptied(field, bare) ? [] : [[key, bare] as const];
  });
  return Object.fromEntries(kept);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const isEmptied = (before: unknown, after: unknown): boolean =>
  typeof after === "object" &&
  after !== null &&
  !Array.isArray(after) &&
  Object.keys(after).length === 0 &&
  Object.keys(before as object).length > 0;
