import { isUtf8 } from "node:buffer";
import { sha256, ThreadfoldError } from "@threadfold/core";

/** The source as text. */
export interface SourceText {
  readonly text: string;
  /** Bytes of the source, decompressed. */
  readonly bytes: number;
  /** SHA-256 of those bytes, in hexadecimal. Computed when it is first asked for. */
  readonly sha256: string;
  /** False when some bytes are not UTF-8: the text has U+FFFD in their place. */
  readonly wellFormed: boolean;
}

/** How far into the source a NUL byte is searched for: JSON has none, and binary files have one early. */
const BINARY_PROBE_BYTES = 64 * 1024;

/**
 * Decodes the source as UTF-8. A byte order mark is left out of the text.
 *
 * @throws ThreadfoldError `EMPTY_SOURCE` without any byte but white space, `UNKNOWN_FORMAT` for binary content,
 * `SOURCE_TOO_LARGE` for more than one string can hold.
 */
export function decodeSource(bytes: Uint8Array): SourceText {
  if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) {
    throw new ThreadfoldError(
      "UNKNOWN_FORMAT",
      "The source is binary: it holds NUL bytes, which no session log in JSON does.",
    );
  }
  const text = decode(bytes);
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
    wellFormed: isUtf8(bytes),
  };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder().decode(bytes);
  } catch (error) {
    throw new ThreadfoldError(
      "SOURCE_TOO_LARGE",
      `The source of ${bytes.length} bytes is longer than one string can be.`,
      {
        details: { bytes: bytes.length },
        cause: error,
      },
    );
  }
}
