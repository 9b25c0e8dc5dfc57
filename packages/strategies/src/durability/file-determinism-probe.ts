import {
  type DeterminismMetadata,
  type DeterminismProbe,
  fileArgument,
  probeVerdict,
  type ReplayableResult,
} from "@threadfold/core";

/** Options of {@link fileDeterminismProbe}: which files it may read. */
export interface FileProbeOptions {
  /** Folder that relative paths are resolved against. Nothing outside it is read, not even through a link. */
  readonly root: string;
  /** Largest file to read, in bytes, so that a check stays cheap. 16 MiB by default. */
  readonly maxBytes?: number;
  /** Finds the path in a call's arguments; by default in `file_path`, `path` and the like, however they are spelled. */
  readonly pathOf?: (result: ReplayableResult) => string | undefined;
}

const MAX_BYTES = 16 * 1024 * 1024;
/** Fewer hexadecimal digits of a SHA-256 prove too little; the specification's example keeps 16. */
const MIN_HASH_DIGITS = 16;

/**
 * Returns a probe that checks whether the files that tools read are unchanged. It compares the SHA-256 of their bytes
 * with the recorded `contentHash` (hexadecimal, either complete or its first 16 digits or more), or, without one, with
 * the recorded `mtime`, in milliseconds or seconds since the epoch. A deleted file counts as changed. A result with
 * neither cannot be verified, nor one with a `version`, which files do not have, and no `contentHash`.
 */
export function fileDeterminismProbe(options: FileProbeOptions): DeterminismProbe {
  const { root, maxBytes = MAX_BYTES, pathOf = ({ input }) => fileArgument(input) } = options;
  return {
    async probe(result, signal) {
      const path = pathOf(result);
      const captured = hashOf(result.determinism);
      const { contentHash, mtime, version } = result.determinism;
      const isTimed = contentHash === undefined && mtime !== undefined && version === undefined;
      if (path === undefined || (captured === undefined && !isTimed)) return "unverifiable";
      const current = await readDeterminism(root, path, maxBytes, signal);
      if (current === "unreadable") return "unverifiable";
      if (captured !== undefined)
        return probeVerdict({ contentHash: captured }, current && shortened(current, captured.length));
      if (current === null) return "changed";
      return mtime === current.mtime || mtime === (current.mtime as number) / 1_000 ? "matches" : "changed";
    },
  };
}

/**
 * Returns the metadata that a tool records about a file when it reads it, so that a {@link fileDeterminismProbe} can
 * check the file again later.
 *
 * @throws the file system's error when the file cannot be read.
 */
export async function fileDeterminism(path: string): Promise<DeterminismMetadata> {
  const { readFile, stat } = await import("node:fs/promises");
  const [bytes, { mtimeMs }] = await Promise.all([readFile(path), stat(path)]);
  return { contentHash: await sha256Hex(bytes), mtime: mtimeMs };
}

const shortened = (current: DeterminismMetadata, digits: number): DeterminismMetadata => ({
  contentHash: current.contentHash?.slice(0, digits),
});

/** The recorded hash as hexadecimal digits; undefined when it is not a SHA-256. */
function hashOf({ contentHash }: DeterminismMetadata): string | undefined {
  const digits = contentHash?.toLowerCase().replace(/^sha-?256[:-]/, "");
  return digits !== undefined && digits.length >= MIN_HASH_DIGITS && /^[0-9a-f]{1,64}$/.test(digits)
    ? digits
    : undefined;
}

/** The file as it is now; null when it is gone. */
async function readDeterminism(
  root: string,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<DeterminismMetadata | null | "unreadable"> {
  const { readFile, realpath, stat } = await import("node:fs/promises");
  const { isAbsolute, relative, resolve } = await import("node:path");
  try {
    const home = await realpath(root);
    const real = await realpath(resolve(home, path));
    const way = relative(home, real);
    if (way.startsWith("..") || isAbsolute(way)) return "unreadable";
    const file = await stat(real);
    // Opening a pipe or a device may never end.
    if (!file.isFile() || file.size > maxBytes) return "unreadable";
    return { contentHash: await sha256Hex(await readFile(real, { signal })), mtime: file.mtimeMs };
  } catch (cause) {
    return (cause as { code?: unknown }).code === "ENOENT" ? null : "unreadable";
  }
}

async function sha256Hex(bytes: Uint8Array): Promise<string> {
  const { createHash } = await import("node:crypto");
  return createHash("sha256").update(bytes).digest("hex");
}
