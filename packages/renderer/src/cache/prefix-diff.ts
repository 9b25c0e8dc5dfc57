import { asMessageId, type ChatRequest } from "@threadfold/core";
import type { Rendering } from "../input/render-input.ts";
import type { RenderedMessage } from "../input/render-manifest.ts";
import { isSameSystem, sameFrame, sharedMessages } from "./breakpoint-places.ts";

/** The fields of a rendering that are compared. */
export type DiffedRendering = Pick<Rendering, "request" | "manifest">;

/** Where and why two renderings diverge. */
export interface PrefixDivergence {
  /** Index of the first message that differs; -1 when the format, system text or tools differ. */
  readonly message: number;
  readonly kind: "format" | "system" | "tools" | "passing" | "fold" | "content" | "order" | "shorter";
  /** One sentence without its final period, for instance `summary of turns 3-9 changed`. */
  readonly reason: string;
  /** The complete description for a person: `diverged at message 14: summary of turns 3-9 changed`. */
  readonly text: string;
}

/** Names of the messages that rendering adds for a single request. */
const PASSING: Readonly<Record<string, string>> = {
  rehydration: "rehydrated content",
  continuation: "the continuation",
  "missing-result": "the stand-in for a result that was open",
};

/**
 * Finds the message at which a later rendering stops being an extension of an earlier one, and why; null when it
 * extends it, so that the whole earlier one may be read from a prompt cache.
 */
export function prefixDiff(earlier: DiffedRendering, later: DiffedRendering): PrefixDivergence | null {
  const [a, b] = [earlier.request, later.request];
  if (earlier.manifest.format !== later.manifest.format)
    return diverged(-1, "format", `the format is ${later.manifest.format} and was ${earlier.manifest.format}`);
  if (!sameFrame(a, b)) return diverged(-1, ...frameReason(a, b));
  const index = sharedMessages(a, b);
  if (index === a.messages.length) return null;
  return diverged(index, ...messageReason(earlier.manifest.messages[index], later.manifest.messages[index]));
}

type Reason = readonly [kind: PrefixDivergence["kind"], reason: string];

const frameReason = (a: ChatRequest, b: ChatRequest): Reason =>
  isSameSystem(a.system, b.system) ? ["tools", "the tool definitions changed"] : ["system", "the system text changed"];

function messageReason(before: RenderedMessage | undefined, after: RenderedMessage | undefined): Reason {
  const passing = before === undefined ? undefined : PASSING[before.action];
  if (passing !== undefined) return ["passing", `${passing} is gone`];
  if (after === undefined) return ["shorter", `${named(before)} and what follows is gone`];
  if (before?.action !== after.action) return ["fold", foldReason(before, after)];
  if (sameSources(before, after)) return ["content", `${named(after)} changed`];
  if (after.record !== undefined) return ["fold", grownReason(before, after)];
  return ["order", `${named(after)} stands where ${named(before)} stood`];
}

function foldReason(before: RenderedMessage | undefined, after: RenderedMessage): string {
  if (after.record === undefined) return `${named(after)} stands where ${named(before)} stood`;
  const { reason, strategy } = after.record;
  return `${named(after)} is new (${strategy}: ${reason})`;
}

/** A fold that took in more of the same turns keeps its name. The number of known ids of a span may differ. */
function grownReason(before: RenderedMessage, after: RenderedMessage): string {
  if (named(before) !== named(after)) return `${named(before)} became ${named(after)}`;
  return `${named(after)} goes up to message ${after.sources.at(-1)} and went up to message ${before.sources.at(-1)}`;
}

const sameSources = (a: RenderedMessage, b: RenderedMessage): boolean =>
  a.sources.length === b.sources.length && a.sources.every((id, index) => id === b.sources[index]);

/** The name of a fold, by the plan's action. */
const FOLD_NAMES: Readonly<Record<string, string>> = {
  summarize: "summary",
  externalize: "pointer",
  clear: "placeholder",
};

function named(message: RenderedMessage | undefined): string {
  if (message === undefined) return "nothing";
  const { record, role, action, sources } = message;
  const fold = FOLD_NAMES[action];
  if (record !== undefined && fold !== undefined && sources.length !== 1) {
    const [first, last] = record.turns;
    return first === last ? `${fold} of turn ${first}` : `${fold} of turns ${first}-${last}`;
  }
  const id = sources[0] ?? asMessageId(action);
  if (record !== undefined && fold !== undefined) return `${fold} of ${role} message ${id}`;
  return sources.length === 0 ? `the ${action} message` : `${role} message ${id}`;
}

const diverged = (message: number, kind: PrefixDivergence["kind"], reason: string): PrefixDivergence => ({
  message,
  kind,
  reason,
  text: message < 0 ? `diverged before the first message: ${reason}` : `diverged at message ${message}: ${reason}`,
});
