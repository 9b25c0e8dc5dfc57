import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { sha256, ThreadfoldError } from "@threadfold/core";

/** A source decoded to text. */
export interface SourceText {
  readonly text: string;
  /** Size of the source in bytes, after decompression. */
  readonly bytes: number;
  /** SHA-256 of those bytes, in hexadecimal. Computed when first read. */
  readonly sha256: string;
  /** False when some bytes are no text in its encoding; the text has U+FFFD instead of them. */
  readonly wellFormed: boolean;
}

/** How many bytes of the first line are searched for a NUL byte: JSON has none, and binary files have one early. */
const BINARY_PROBE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * Decodes the source: UTF-8, or UTF-16 with a byte order mark, as PowerShell writes it. The mark is removed.
 *
 * @throws ThreadfoldError `EMPTY_SOURCE` when there is only white space, `UNKNOWN_FORMAT` for binary content,
 *   `SOURCE_TOO_LARGE` when the text exceeds the maximum string length.
 */
export function decodeSource(bytes: Uint8Array): SourceText {
  const encoding = encodingOf(bytes);
  if (encoding === "utf-8" && isBinary(bytes)) {
    throw new ThreadfoldError(
      "UNKNOWN_FORMAT",
      "The source is binary: it contains NUL bytes, which no session log in JSON does, and is not a SQLite database.",
    );
  }
  const text = decode(bytes, encoding);
  if (!/\S/.test(text))
    throw new ThreadfoldError("EMPTY_SOURCE", "The source is empty.", { details: { bytes: bytes.length } });
  let digest: string | undefined;
  return {
    text,
    bytes: bytes.length,
    get sha256() {
      digest ??= sha256(bytes);
      return digest;
    },
    wellFormed: encoding === "utf-8" ? isUtf8(bytes) : !text.includes("\uFFFD"),
  };
}

/** Checks only the first line: a crash while a log is written can leave NUL bytes after what was written before. */
function isBinary(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, BINARY_PROBE_BYTES);
  const nul = start.indexOf(0);
  return nul !== -1 && !start.subarray(0, nul).includes(NEWLINE);
}

function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

function decode(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch (error) {
    throw new ThreadfoldError(
      "SOURCE_TOO_LARGE",
      `The source of ${bytes.length} bytes is longer than one string can be.`,
      {
        details: { bytes: bytes.length },
        cause: error,
        hint: "Split the session; raising the limit does not help.",
      },
    );
  }
}

/**
 * Reads a file into memory. Pipes and devices are read as well, up to the limit.
 *
 * @param maxBytes maximum number of bytes to read, before decompression.
 * @throws ThreadfoldError `UNREADABLE_SOURCE` for a missing, forbidden or broken file and for a directory;
 *   `SOURCE_TOO_LARGE` for a file above the limit; `ABORTED`.
 */
export async function readSourceFile(path: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
  try {
    const status = await stat(path);
    if (status.isDirectory()) throw unreadable(path, "it is a directory", undefined, FOLDER_HINT);
    if (!status.isFile()) return await collectBytes(createReadStream(path, { signal }), maxBytes, path);
    if (status.size > maxBytes) throw sourceTooLarge(maxBytes, path);
    return await readFile(path, { signal });
  } catch (error) {
    if (ThreadfoldError.isInstance(error)) throw error;
    if (signal?.aborted)
      throw new ThreadfoldError("ABORTED", "The import was aborted while it read the file.", { cause: error });
    const { code = "it cannot be opened" } = error as NodeJS.ErrnoException;
    throw unreadable(path, code === "ENOENT" ? "there is no such file (ENOENT)" : code, error);
  }
}

/** OpenCode and OpenHands keep each record in a file of its own. */
const FOLDER_HINT =
  "Name a file. If each file of the folder is one record of a session, join them: jq -c . FOLDER/*.json > session.jsonl";

function unreadable(path: string, why: string, cause?: unknown, hint?: string): ThreadfoldError {
  return new ThreadfoldError("UNREADABLE_SOURCE", `The file ${path} cannot be read: ${why}.`, {
    details: { path },
    cause,
    ...(hint !== undefined && { hint }),
  });
}

/**
 * Returns all bytes of a stream.
 *
 * @param path the file that the stream reads, for the error.
 * @throws ThreadfoldError `SOURCE_TOO_LARGE` as soon as the limit is exceeded.
 */
export async function collectBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  path?: string,
): Promise<Uint8Array> {
  const collected: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw sourceTooLarge(maxBytes, path);
    collected.push(chunk);
  }
  return Buffer.concat(collected);
}

const gunzipBytes = promisify(gunzip);

/** Large chunks keep the number of round trips through the thread pool small. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/**
 * Returns the bytes themselves, or the content of a gzip archive. An archive is recognized by its first two bytes,
 * whatever its name.
 *
 * @throws ThreadfoldError `CORRUPT_ARCHIVE` for a damaged or truncated archive, `SOURCE_TOO_LARGE` when the content is
 *   larger than `maxBytes`.
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

/** Creates the error for a source above the limit. @param path the file, if the source is one. */
export const sourceTooLarge = (maxBytes: number, path?: string): ThreadfoldError =>
  new ThreadfoldError(
    "SOURCE_TOO_LARGE",
    `${path === undefined ? "The source" : `The file ${path}`} is larger than ${maxBytes} bytes.`,
    { details: { ...(path !== undefined && { path }), limit: "maxBytes", maxBytes } },
  );
