import { sha256 as portableSha256 } from "./portable-sha256.ts";

type HashFunction = (algorithm: string, data: string | Uint8Array, encoding: "hex") => string;

/**
 * SHA-256 of a text (as UTF-8) or of bytes, in lower-case hexadecimal. On Node the platform's own implementation does
 * the work; elsewhere the portable one gives the same digest. The choice changes the speed and never the result.
 */
export const sha256: (data: string | Uint8Array) => string = chooseImplementation();

function chooseImplementation(): (data: string | Uint8Array) => string {
  const host = globalThis as { process?: { getBuiltinModule?: (name: string) => { hash?: HashFunction } | undefined } };
  const hash = host.process?.getBuiltinModule?.("node:crypto")?.hash;
  return hash === undefined ? portableSha256 : (data) => hash("sha256", data, "hex");
}
