import { createHmac, timingSafeEqual } from "node:crypto";

/** Protects names and values of one tenant in a place that others may write to. */
export interface ValueSeal {
  /** Returns the name of a key. It differs for every tenant, and reveals nothing about the key. */
  name(key: string): string;
  seal(key: string, value: string): string;
  /** Returns the value that was sealed under this key, for this tenant, with this secret; null for anything else. */
  open(key: string, sealed: string): string | null;
}

const VERSION = "1";
const MAC_LENGTH = 64;

/** Seals with HMAC-SHA-256, under keys derived from secret and tenant. */
export function valueSeal(secret: string, tenantId: string | null): ValueSeal {
  const keyFor = (purpose: string): Buffer => hmac(secret, ["threadfold summary cache", purpose, tenantId]);
  const [nameKey, macKey] = [keyFor("name"), keyFor("value")];
  const mac = (key: string, value: string): Buffer => hmac(macKey, [VERSION, key, value]);
  return {
    name: (key) => hmac(nameKey, [key]).toString("hex"),
    seal: (key, value) => `${VERSION}${mac(key, value).toString("hex")}${value}`,
    open: (key, sealed) => {
      const given = Buffer.from(sealed.slice(VERSION.length, VERSION.length + MAC_LENGTH), "hex");
      const value = sealed.slice(VERSION.length + MAC_LENGTH);
      const expected = mac(key, value);
      const isOwn = sealed.startsWith(VERSION) && given.length === expected.length && timingSafeEqual(given, expected);
      return isOwn ? value : null;
    },
  };
}

/** JSON keeps the parts separate, so that nothing can be moved from one to the next. */
const hmac = (key: string | Buffer, parts: readonly (string | null)[]): Buffer =>
  createHmac("sha256", key).update(JSON.stringify(parts)).digest();
