import { EventLoopTurns, type Steps } from "@threadfold/core";
import { findSecrets } from "./find-secrets.ts";
import type { FoundSecret } from "./secret-rule.ts";
import { MIN_SECRET } from "./secret-rules.ts";

/** Bump it when the same text is redacted otherwise than before. */
export const REDACTION_VERSION = 6;

/** A text without its secrets, and what was taken out. */
export interface Redaction {
  readonly text: string;
  /** The kind of each secret that was taken out, in order, such as `github-token`. */
  readonly kinds: readonly string[];
}

/**
 * Replaces secrets (keys and tokens of common services, private keys, passwords in connection strings, what is assigned to
 * a password, a key or a token, hashes of passwords, cookies; the rules are secretlint's recommended ones and many more, also inside base64) with a marker that names their kind. The same text
 * always has the same result, nothing is read or sent, and the time is linear in the text. What the rules do not know stays: it
 * is a net, not a wall.
 */
export async function redactSecrets(text: string): Promise<Redaction> {
  const found = await secretStretches(text);
  const kinds = found.map(({ kind }) => kind);
  return { text: found.length === 0 ? text : withoutStretches(text, found), kinds };
}

/** A text with a marker in the place of each stretch of it. */
export function withoutStretches(text: string, stretches: readonly SecretStretch[]): string {
  const pieces: string[] = [];
  let position = 0;
  for (const { start, end, kind } of stretches) {
    pieces.push(text.slice(position, start), redactionMarker(kind));
    position = end;
  }
  return pieces.join("") + text.slice(position);
}

/** A stretch of a text that is a secret. */
export interface SecretStretch {
  readonly start: number;
  readonly end: number;
  /** What kind of secret it is, such as `github-token`. */
  readonly kind: string;
}

/** The secrets of a text in order; where two overlap, the earlier one and what the later one has beyond it. */
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

/** How much of a text the secrets lie in that are sorted in one go, in UTF-16 code units as a power of two. */
const SORTED_AT_ONCE = 15;

/** Stretches in order, a few at a time: those of a long text would take too long at once. */
function* inOrder<Stretch extends { readonly start: number; readonly end: number }>(
  stretches: readonly Stretch[],
  place: "start" | "end",
  compare: (a: Stretch, b: Stretch) => number,
): Generator<readonly Stretch[]> {
  const groups: Stretch[][] = [];
  for (const stretch of stretches) (groups[stretch[place] >>> SORTED_AT_ONCE] ??= []).push(stretch);
  for (const group of groups) if (group !== undefined) yield group.sort(compare);
}

/** What stands in the place of a secret. */
export const redactionMarker = (kind: string): string => `[redacted ${kind}]`;

/** The kinds that were found so far, by the rules' names for them: there are a few dozen. */
const kinds = new Map<string, string>();

/** `GITHUB_TOKEN` and `PrivateKey` as `github-token` and `private-key`. */
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
 * Some rules give the range of the value from where its name begins, which falls short: the whole word is taken. Ends are
 * asked for in rising order, so that a word that holds thousands of secrets is walked once.
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
