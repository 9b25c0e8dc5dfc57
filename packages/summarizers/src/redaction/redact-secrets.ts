import { checkArgument, EventLoopTurns, type Steps } from "@threadfold/core";
import { findSecrets } from "./find-secrets.ts";
import type { FoundSecret } from "./secret-rule.ts";
import { MIN_SECRET } from "./secret-rules.ts";

/** Version of the redaction. Bump it when the same text would be redacted differently than before. */
export const REDACTION_VERSION = 9;

/** A text without its secrets, and the kinds of secrets that were removed. */
export interface Redaction {
  readonly text: string;
  /** The kind of each secret that was removed, in order, such as `github-token`. */
  readonly kinds: readonly string[];
}

/**
 * Replaces secrets with a marker that names their kind: keys and tokens of common services, private keys, passwords in
 * connection strings, values assigned to a password, key or token, password hashes, and cookies, also inside base64.
 * The rules are secretlint's recommended ones and many more. The same text always has the same result, nothing is read
 * or sent, and the time is linear in the text. Secrets that no rule covers stay: it is a net, not a wall.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when it is no text.
 */
export async function redactSecrets(text: string): Promise<Redaction> {
  checkArgument("text", text, "text");
  const found = await secretStretches(text);
  const kinds = found.map(({ kind }) => kind);
  return { text: found.length === 0 ? text : withoutStretches(text, found), kinds };
}

/** Returns a text with each of the stretches replaced by a marker. */
export function withoutStretches(text: string, stretches: readonly SecretStretch[]): string {
  const pieces: string[] = [];
  let position = 0;
  for (const { start, end, kind } of stretches) {
    pieces.push(text.slice(position, start), redactionMarker(kind));
    position = end;
  }
  return pieces.join("") + text.slice(position);
}

/** The position of a secret in a text, in UTF-16 code units; `end` is exclusive. */
export interface SecretStretch {
  readonly start: number;
  readonly end: number;
  /** The kind of secret, such as `github-token`. */
  readonly kind: string;
}

/**
 * Returns the secrets of a text in order. When two overlap, the later one is reduced to the part after the earlier one.
 */
export async function secretStretches(text: string): Promise<readonly SecretStretch[]> {
  if (text.length < MIN_SECRET) return [];
  return new EventLoopTurns().finish(apart(text, await findSecrets(text)));
}

function* apart(text: string, found: readonly FoundSecret[]): Steps<readonly SecretStretch[]> {
  const endOf = endsOfSecrets(text);
  const whole: SecretStretch[] = [];
  for (const some of inOrder(found, "end", (a, b) => a.end - b.end)) {
    yield;
    for (const { start, end, messageId } of some) whole.push({ start, end: endOf(end), kind: kindOf(messageId) });
  }
  const stretches: SecretStretch[] = [];
  let position = 0;
  for (const some of inOrder(whole, "start", (a, b) => a.start - b.start || b.end - a.end)) {
    yield;
    for (const { start, end, kind } of some) {
      if (end <= position) continue;
      stretches.push({ start: Math.max(position, start), end, kind });
      position = end;
    }
  }
  return stretches;
}

/** Size of the parts of a text whose secrets are sorted at once, in UTF-16 code units, as a power of two. */
const SORTED_AT_ONCE = 15;

/** Yields the stretches in order, a few at a time, because sorting those of a long text at once would take too long. */
function* inOrder<Stretch extends { readonly start: number; readonly end: number }>(
  stretches: readonly Stretch[],
  place: "start" | "end",
  compare: (a: Stretch, b: Stretch) => number,
): Generator<readonly Stretch[]> {
  const groups: Stretch[][] = [];
  for (const stretch of stretches) (groups[stretch[place] >>> SORTED_AT_ONCE] ??= []).push(stretch);
  for (const group of groups) if (group !== undefined) yield group.sort(compare);
}

/** Returns the text that replaces a secret of this kind. */
export const redactionMarker = (kind: string): string => `[redacted ${kind}]`;

/** Cache of kinds by the rules' message ids; there are a few dozen. */
const kinds = new Map<string, string>();

/** Converts `GITHUB_TOKEN` and `PrivateKey` to `github-token` and `private-key`. */
function kindOf(messageId: string): string {
  const known = kinds.get(messageId);
  if (known !== undefined) return known;
  const kind = messageId
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1-$2")
    .replace(/_/g, "-")
    .toLowerCase();
  kinds.set(messageId, kind);
  return kind;
}

const END = /[\s"'`<>,;)\]}]/g;

/**
 * Extends the end of a secret to the end of its word, because some rules report a range of the value's length that
 * starts at its name and so falls short. Must be called with ascending ends, so that a word with thousands of secrets
 * is scanned once.
 */
function endsOfSecrets(text: string): (end: number) => number {
  let next = -1;
  return (end) => {
    if (/[\s"'`<>,;)\]}]/.test(text.charAt(end - 1))) return end;
    if (next < end) {
      END.lastIndex = end;
      next = END.exec(text)?.index ?? text.length;
    }
    return next;
  };
}
