/**
 * Memoizes a derivation from an immutable value, for its most recent key: calling again with that key returns the same
 * object. Renderings of one thread create the same placeholders over and over, and equal objects are counted and
 * lowered once.
 */
export function derivation<Source extends object, Key, Derived>(
  derive: (source: Source, key: Key) => Derived,
): (source: Source, key: Key) => Derived {
  const known = new WeakMap<Source, { readonly key: Key; readonly derived: Derived }>();
  return (source, key) => {
    const found = known.get(source);
    if (found !== undefined && found.key === key) return found.derived;
    const derived = derive(source, key);
    known.set(source, { key, derived });
    return derived;
  };
}
