import type { PromptTrace } from "./prompt-trace.ts";

/**
 * Reads the text of a trace file; null when it is none. A golden prompt is compared file by file in any case, so that a
 * trace which a merge has damaged costs the explanation and not the comparison.
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
