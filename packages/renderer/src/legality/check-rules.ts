import type { LegalityViolation } from "@threadfold/core";
import type * as z from "@threadfold/core/schema";
import type { RenderedMessage, RenderManifest } from "../input/render-manifest.ts";
import type { Finding, LegalityRule, LegalityRuleInfo, Place } from "./legality-rule.ts";
import type { RuleId } from "./remedies.ts";

/** Finds the message of the neutral request that a place in the payload was lowered from. */
export type Locate = (place: { readonly message: number; readonly block?: number }) => RenderedMessage | undefined;

/** The field names of a payload's list of messages and of the list of blocks in a message. */
export interface PathNames {
  readonly messages: string;
  readonly blocks: string;
}

const COMMON_NAMES: PathNames = { messages: "messages", blocks: "content" };

/** Runs rules on a view and reports where each is broken and, with a manifest, which message and record caused it. */
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

/** The rule that a foreign payload must have the provider's shape at all. */
export const SHAPE_RULE: LegalityRuleInfo & { readonly id: RuleId } = Object.freeze({
  id: "shape",
  description: "The payload has the shape of the provider's request.",
  reference: "Roles",
});

/** Reports where a payload does not match a wire schema. */
export function checkShape(schema: z.ZodType, payload: unknown): readonly LegalityViolation[] {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return [];
  return parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
    rule: SHAPE_RULE.id,
    problem: message,
    at: path.reduce<string>((text, key) => text + (typeof key === "number" ? `[${key}]` : `.${String(key)}`), "$"),
  }));
}

/**
 * Locates messages by position, after any leading system messages, for formats that lower each message to one message.
 */
export function messageLocator(messageCount: number, manifest: RenderManifest): Locate {
  const leading = messageCount - manifest.messages.length;
  return ({ message }) => (leading < 0 ? undefined : manifest.messages[message - leading]);
}

/**
 * Locates messages by counting parts, for formats that lower each part to one block or one item.
 *
 * @param counts number of parts in each message of the payload, in order. If the payload has more than the manifest,
 *   the excess is system text before the conversation; if it has fewer, nothing is found.
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
