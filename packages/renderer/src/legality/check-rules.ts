import type { LegalityViolation } from "@threadfold/core";
import type * as z from "@threadfold/core/schema";
import type { RenderedMessage, RenderManifest } from "../input/render-manifest.ts";
import type { Finding, LegalityRule, LegalityRuleInfo, Place } from "./legality-rule.ts";

/** Finds the message of the neutral request that a place in the payload was lowered from. */
export type Locate = (place: { readonly message: number; readonly block?: number }) => RenderedMessage | undefined;

/** What a payload calls its list of messages and the list of blocks in a message. */
export interface PathNames {
  readonly messages: string;
  readonly blocks: string;
}

const COMMON_NAMES: PathNames = { messages: "messages", blocks: "content" };

/**
 * Runs rules over a view and reports where each is broken and, with a manifest, which message and record it comes from.
 */
export function checkRules<View>(
  rules: readonly LegalityRule<View>[],
  view: View,
  manifest: RenderManifest | undefined,
  locatorOf: (manifest: RenderManifest) => Locate,
  names: PathNames = COMMON_NAMES,
): readonly LegalityViolation[] {
  let locate: Locate | undefined;
  return rules.flatMap((rule) =>
    rule.find(view).map((finding): LegalityViolation => {
      if (manifest !== undefined) locate ??= locatorOf(manifest);
      return violation(rule.id, finding, names, locate);
    }),
  );
}

function violation(
  rule: string,
  { place, problem }: Finding,
  names: PathNames,
  locate: Locate | undefined,
): LegalityViolation {
  const message = "message" in place ? locate?.(place) : undefined;
  const messageId = message?.sources[0];
  return {
    rule,
    problem,
    at: pathOf(place, names),
    ...(messageId !== undefined && { messageId }),
    ...(message !== undefined && { causedBy: causeOf(message) }),
  };
}

function pathOf(place: Place, { messages, blocks }: PathNames): string {
  if ("path" in place) return place.path;
  const { message, block, field } = place;
  return `$.${messages}[${message}]${block === undefined ? "" : `.${blocks}[${block}]`}${field === undefined ? "" : `.${field}`}`;
}

function causeOf({ record, action }: RenderedMessage): string {
  return record === undefined ? action : `${record.action} by ${record.strategy} from ${record.spanStart}`;
}

/** The rule that a foreign payload has the provider's shape at all. */
export const SHAPE_RULE: LegalityRuleInfo = Object.freeze({
  id: "shape",
  description: "The payload has the shape of the provider's request.",
  reference: "Roles",
});

/** Where a payload does not match a wire schema. */
export function checkShape(schema: z.ZodType, payload: unknown): readonly LegalityViolation[] {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return [];
  return parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
    rule: SHAPE_RULE.id,
    problem: message,
    at: path.reduce<string>((text, key) => text + (typeof key === "number" ? `[${key}]` : `.${String(key)}`), "$"),
  }));
}

/** For formats in which one message is one message: found by place, behind whatever system messages come first. */
export function messageLocator(messageCount: number, manifest: RenderManifest): Locate {
  const leading = messageCount - manifest.messages.length;
  return ({ message }) => (leading < 0 ? undefined : manifest.messages[message - leading]);
}

/**
 * For formats in which one part became one block or one item: the message of a place is found by counting.
 *
 * @param counts how many parts each message of the payload holds, in order. What it holds more of than the manifest is
 *   system text before the conversation; nothing is found in a payload that holds less.
 */
export function partLocator(counts: readonly number[], manifest: RenderManifest): Locate {
  const owners: RenderedMessage[] = manifest.messages.flatMap((message) =>
    new Array<RenderedMessage>(message.parts).fill(message),
  );
  const firsts: number[] = [];
  let total = 0;
  for (const count of counts) {
    firsts.push(total);
    total += count;
  }
  const leading = total - owners.length;
  if (leading < 0) return () => undefined;
  return ({ message, block = 0 }) => {
    const first = firsts[message];
    return first === undefined ? undefined : owners[first + block - leading];
  };
}
