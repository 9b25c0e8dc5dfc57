import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asList, isPlainObject } from "../../../legality/plain-object.ts";
import type { AnthropicView } from "../anthropic-view.ts";

const MAX_BREAKPOINTS = 4;

export const fewBreakpoints: LegalityRule<AnthropicView> = {
  id: "W17",
  description: `A request has at most ${MAX_BREAKPOINTS} cache breakpoints.`,
  reference: "Prompt-cache prices",
  find({ payload, blocks }) {
    let count = marked(asList(payload.tools)) + marked(asList(payload.system));
    for (const { block } of blocks) {
      if (isMarked(block)) count++;
      if (block.type === "tool_result" && typeof block.content !== "string") count += marked(asList(block.content));
    }
    return count > MAX_BREAKPOINTS ? [{ place: { path: "$" }, problem: `there are ${count} cache breakpoints` }] : [];
  },
};

const isMarked = (place: unknown): boolean => isPlainObject(place) && isPlainObject(place.cache_control);
const marked = (places: readonly unknown[]): number => places.filter(isMarked).length;
