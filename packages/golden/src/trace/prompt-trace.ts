import { digestOf, type Role } from "@threadfold/core";
import type { RenderedAction, RenderedRecord } from "@threadfold/renderer";
import type { PreparedRequest } from "@threadfold/session";

/** The data about one message of a prompt that a comparison needs. */
export interface TracedMessage {
  readonly role: Role;
  readonly action: RenderedAction;
  readonly tokens: number;
  /** Digest of the parts. */
  readonly digest: string;
  /** First and last thread message that it stands for, and their number; absent when it stands for none. */
  readonly sources?: readonly [first: string, last: string, count: number];
  readonly record?: RenderedRecord;
}

/** A prompt, message by message, small enough to keep: it tells where two prompts diverge and what that costs. */
export interface PromptTrace {
  readonly format: string;
  /** Digests of the system texts. */
  readonly system: readonly string[];
  /** Digest of the tool definitions. */
  readonly tools: string;
  /** Tokens of everything before the first message. */
  readonly frameTokens: number;
  readonly messages: readonly TracedMessage[];
}

/** Half of a SHA-256 is enough to tell the texts of one prompt apart, and keeps lines short. */
const shortDigest = (value: unknown): string => digestOf(value).slice(0, 32);

/** Returns the trace of a prepared request. */
export function promptTrace(prepared: PreparedRequest): PromptTrace {
  const { request, manifest, breakdown } = prepared;
  const total = Object.values(breakdown).reduce((sum, share) => sum + share, 0);
  return {
    format: manifest.format,
    system: request.system.map(shortDigest),
    tools: shortDigest(request.tools),
    frameTokens: manifest.messages.reduce((left, { tokens }) => left - tokens, total),
    messages: manifest.messages.map(({ role, action, tokens, sources, record }, index): TracedMessage => {
      const [first, last] = [sources[0], sources.at(-1)];
      return {
        role,
        action,
        tokens,
        digest: shortDigest(request.messages[index]?.parts),
        ...(first !== undefined && last !== undefined && { sources: [first, last, sources.length] }),
        ...(record !== undefined && { record }),
      };
    }),
  };
}

/** Returns the text of a trace file, with one line per message. */
export function traceFile({ messages, ...head }: PromptTrace): string {
  const rows = messages.map((message) => `    ${JSON.stringify(message)}`);
  const fields = Object.entries(head).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return ["{", ...fields, '  "messages": [', rows.join(",\n"), "  ]", "}", ""].join("\n");
}

/**
 * Parses the text of a trace file; null when it is not one. A golden prompt is always compared file by file, so a trace
 * damaged by a merge only costs the explanation, not the comparison.
 */
export function parseTrace(text: string | undefined): PromptTrace | null {
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isTrace(value) ? value : null;
  } catch {
    return null;
  }
}

type Fields = { readonly [key: string]: unknown };

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isText = (value: unknown): value is string => typeof value === "string";

function isTrace(value: unknown): value is PromptTrace {
  if (!isFields(value)) return false;
  const { format, system, tools, frameTokens, messages } = value;
  return (
    isText(format) &&
    Array.isArray(system) &&
    system.every(isText) &&
    isText(tools) &&
    Number.isFinite(frameTokens) &&
    Array.isArray(messages) &&
    messages.every(isTracedMessage)
  );
}

function isTracedMessage(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { role, action, tokens, digest, sources, record } = value;
  return (
    isText(role) &&
    isText(action) &&
    Number.isFinite(tokens) &&
    isText(digest) &&
    (sources === undefined || (Array.isArray(sources) && sources.length === 3)) &&
    (record === undefined || (isFields(record) && Array.isArray(record["turns"])))
  );
}
