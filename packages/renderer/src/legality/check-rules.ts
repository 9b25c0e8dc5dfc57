import type { LegalityViolation } from "@threadfold/core";
import type { RenderedMessage, RenderManifest } from "../manifest/render-manifest.ts";
import type { Finding, LegalityRule, Place } from "./legality-rule.ts";

/** Finds the message of the neutral request that a place in the payload was lowered from. */
export type Locate = (place: { readonly message: number; readonly block?: number }) => RenderedMessage | undefined;

/** What a payload calls its list of messages and the list of blocks in a message. */
export interface PathNames {
  readonly messages: string;
  readonly blocks: string;
}

const COMMON_NAMES: PathNames = { messages: "messages", blocks: "content" };

/** Runs rules over a view and says where each is broken and, with a manifest, which message and record it comes from. */
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
