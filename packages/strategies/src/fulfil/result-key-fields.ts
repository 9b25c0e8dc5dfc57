import { type JsonObject, type ToolDurabilityPolicy, type ToolResultEnvelope, toolResultText } from "@threadfold/core";
import { declaredFields } from "./declared-fields.ts";

/** How much of a body's beginning and end is looked at, in UTF-16 code units: what a tool has to say it says there. */
const HEAD = 2_000;
const TAIL = 1_000;
const MAX_LINE = 160;

/**
 * What a placeholder shows of a result: the key fields that the tool declared, the fields that the policy names, and,
 * for a text that declares nothing, its size, its exit code and its first telling line.
 */
export function resultKeyFields(result: ToolResultEnvelope, policy: ToolDurabilityPolicy): JsonObject {
  const declared = declaredFields(result, policy);
  if (Object.keys(declared).length > 0 || result.durability === "ephemeral" || policy.durability === "ephemeral")
    return declared;
  return textKeyFields(toolResultText(result.content), result.outcome === "failure");
}

function textKeyFields(text: string, failed: boolean): JsonObject {
  const lines = `${text.slice(0, HEAD)}\n${text.length > HEAD ? text.slice(Math.max(HEAD, text.length - TAIL)) : ""}`
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const exit = lines
    .map((line) => /\b(?:exit(?:ed with)?(?: code| status)?|returncode)\W{0,3}(\d{1,3})\b/i.exec(line)?.[1])
    .find(Boolean);
  // A file that was read may speak of errors; the result has one only when it failed.
  const hasFailed = failed || (exit !== undefined && Number(exit) !== 0);
  const error = hasFailed ? lines.find((line) => ERROR.test(line)) : undefined;
  const telling = error ?? lines.find((line) => SAYS_SOMETHING.test(line));
  return {
    ...(exit !== undefined && { exitCode: Number(exit) }),
    ...(telling !== undefined && {
      [telling === error ? "error" : "begins"]: telling.slice(0, MAX_LINE).toWellFormed(),
    }),
  };
}

const ERROR = /\b(?:error|exception|failed|failure|fatal|traceback|not found|denied)\b/i;
/** A line of brackets says nothing. */
const SAYS_SOMETHING = /[\p{L}\p{N}]{3}/u;
