import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { ThreadfoldError } from "@threadfold/core";
import { sourceTooLarge } from "./source-too-large.ts";

const gunzipBytes = promisify(gunzip);

/** Large pieces keep the number of steps through the thread pool small. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/**
 * The bytes themselves, or what a gzip archive holds. An archive is known by its first two bytes, whatever its name.
 *
 * @throws ThreadfoldError `CORRUPT_ARCHIVE` for a damaged or cut-off archive, `SOURCE_TOO_LARGE` when the content is
 * larger than `maxBytes`.
 */
export async function decompress(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  if (bytes.length > maxBytes) throw sourceTooLarge(maxBytes);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await gunzipBytes(bytes, { maxOutputLength: maxBytes, chunkSize: CHUNK_BYTES });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") throw sourceTooLarge(maxBytes);
    throw new ThreadfoldError("CORRUPT_ARCHIVE", `The gzip archive cannot be unpacked: ${message}.`, { cause: error });
  }
}
