/** Freezes a JSON value with all that it holds, and gives it back. */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) freezeDeep(item);
  return value;
}
