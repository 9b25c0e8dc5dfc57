/**
 * True for objects that JSON can express: literals, parsed objects and objects without a prototype, of any realm. False
 * for arrays and for instances of a class, such as dates and maps, whose own properties do not say what they are.
 */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    (!Array.isArray(value) && Object.getPrototypeOf(prototype) === null)
  );
}
