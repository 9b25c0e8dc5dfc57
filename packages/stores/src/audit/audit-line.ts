import { canonicalJson, parseJson, sha256 } from "@threadfold/core";

/** Version of the audit file's shape, in its first line. */
export const AUDIT_FORMAT_VERSION = 1;

/** What the hashes and signatures of an audit file are made with. */
export const AUDIT_ALGORITHMS = Object.freeze({
  digest: "SHA-256",
  text: "RFC 8785",
  tree: "RFC 6962",
  signature: "Ed25519",
});

/**
 * A line of an audit file before it is sealed. Whatever is hashed stands in it as the very text that was hashed, so that
 * a reader needs SHA-256 and no rules of serialization. `docs/audit-format.md` describes each of them.
 */
export type AuditLine =
  | {
      readonly type: "header";
      readonly format: "threadfold-audit";
      readonly formatVersion: typeof AUDIT_FORMAT_VERSION;
      readonly algorithms: typeof AUDIT_ALGORITHMS;
      readonly threadId: string;
      /** ISO 8601 time in UTC at which the file was written. */
      readonly at: string;
    }
  | {
      readonly type: "entry";
      readonly version: number;
      /** SHA-256 of the body. */
      readonly digest: string;
      /** SHA-256 of the link before and the digest. */
      readonly link: string;
      /** Null when it was left out, or erased. */
      readonly body: string | null;
    }
  | {
      readonly type: "plan";
      readonly version: number;
      /** SHA-256 of the text. */
      readonly planId: string;
      readonly createdAt: string;
      readonly text: string | null;
      /** What changed from the plan before, as patches. */
      readonly diff: string | null;
    }
  | {
      readonly type: "artifact";
      /** Ends in the first 24 digits of the SHA-256 of `prefix` and `content`. */
      readonly artifactId: string;
      readonly prefix: string;
      readonly content: string | null;
    }
  | {
      readonly type: "journal";
      /** SHA-256 of the text. */
      readonly hash: string;
      readonly text: string;
    }
  | {
      readonly type: "inclusion";
      /** The journal entry, a request, that the proof shows to be in the tree of the last line. */
      readonly sequence: number;
      readonly proof: readonly string[];
    }
  | {
      readonly type: "consistency";
      /** The journal entry whose checkpoint the tree of the last line grew from. */
      readonly sequence: number;
      readonly proof: readonly string[];
    }
  | {
      readonly type: "end";
      readonly threadVersion: number;
      readonly threadDigest: string;
      readonly planVersion: number;
      readonly size: number;
      readonly rootHash: string;
    };

const SEAL = /^(.*),"seal":"([0-9a-f]{64})"\}$/s;

/** A line as it is written, and the seal that the next one builds on. The first line builds on the empty text. */
export function sealLine(line: AuditLine, previousSeal: string): { readonly text: string; readonly seal: string } {
  const body = canonicalJson(line);
  const seal = sha256(previousSeal + body);
  return { text: `${body.slice(0, -1)},"seal":"${seal}"}`, seal };
}

/** A line without its seal, and the seal; null for a line that does not build on the one before it, or is no JSON. */
export function unsealLine(
  text: string,
  previousSeal: string,
): { readonly line: Readonly<Record<string, unknown>>; readonly seal: string } | null {
  const [, open, seal] = SEAL.exec(text) ?? [];
  if (open === undefined || seal === undefined || sha256(`${previousSeal}${open}}`) !== seal) return null;
  try {
    const line: unknown = parseJson(`${open}}`);
    return typeof line === "object" && line !== null ? { line: line as Readonly<Record<string, unknown>>, seal } : null;
  } catch {
    return null;
  }
}
