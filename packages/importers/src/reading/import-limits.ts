/** How much an import takes in before it refuses with `SOURCE_TOO_LARGE`. */
export interface ImportLimits {
  /** Bytes of the source, after decompression. No more than the host's longest string is of use. */
  readonly maxBytes: number;
  /** UTF-16 code units in one line, or in a JSON document that stands on one line. */
  readonly maxLineLength: number;
}

export const DEFAULT_IMPORT_LIMITS: ImportLimits = Object.freeze({
  maxBytes: 512 * 1024 * 1024,
  maxLineLength: 64 * 1024 * 1024,
});
