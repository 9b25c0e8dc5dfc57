import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** SHA-256 in plain JavaScript, for hosts without a native one. Lower-case hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return bytesToHex(nobleSha256(typeof data === "string" ? utf8ToBytes(data) : data));
}
