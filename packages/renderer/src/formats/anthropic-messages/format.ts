import { type ChatRequest, type JsonObject, toSystemText } from "@threadfold/core";
import { bindingFor } from "../../capabilities/requirements-for.ts";
import type { RenderManifest } from "../../input/render-manifest.ts";
import { checkRules, checkShape, SHAPE_RULE } from "../../legality/check-rules.ts";
import { asText, isPlainObject } from "../../legality/legality-rule.ts";
import type { LoweredRequest, LowerOptions, ProviderFormat } from "../provider-format.ts";
import { type AnthropicContext, anthropicView, blockLocator, editedBlocks } from "./anthropic-view.ts";
import { lowerMessages, lowerText, lowerTool } from "./lower.ts";
import { markBreakpoints, markedPlaces } from "./mark-breakpoints.ts";
import { ANTHROPIC_REQUIREMENTS } from "./requirements.ts";
import { ANTHROPIC_RULES } from "./rules.ts";
import { anthropicRequestSchema } from "./wire-schema.ts";

/** The request format of Anthropic's Messages API. */
export const anthropicMessages: ProviderFormat = {
  id: "anthropic-messages",
  messagesField: "messages",
  rules: { requirements: ANTHROPIC_REQUIREMENTS, rules: [SHAPE_RULE, ...ANTHROPIC_RULES] },
  lower,
  mark: markBreakpoints,
  places: markedPlaces,
  check(payload, manifest) {
    const view = anthropicView(payload, { edited: editOf(payload, manifest), host: manifest?.host });
    const shape = manifest === undefined ? checkShape(anthropicRequestSchema, payload) : [];
    return [...shape, ...checkRules(ANTHROPIC_RULES, view, manifest, (known) => blockLocator(view, known))];
  },
};

/** Returns the blocks after an edit that thinking is bound to; undefined when only the payload can tell. */
function editOf(payload: unknown, manifest: RenderManifest | undefined): AnthropicContext["edited"] {
  const body = isPlainObject(payload) ? payload : {};
  const model = asText(body.model);
  const host = isPlainObject(body.thinking) ? { thinking: body.thinking as JsonObject } : undefined;
  const binding =
    manifest?.reasoningBinding ?? bindingFor({ ...(model !== undefined && { model }), ...(host && { host }) });
  if (binding !== undefined && binding !== "prefix-bound") return null;
  return manifest && editedBlocks(manifest);
}

function lower(request: ChatRequest, { cache }: LowerOptions = {}): LoweredRequest {
  const { system, tools, messages } = request;
  const payload: JsonObject = {
    ...(system.length > 0 && { system: system.map((entry) => lowerText(toSystemText(entry))) }),
    ...(tools.length > 0 && { tools: tools.map(lowerTool) }),
    messages: lowerMessages(messages),
  };
  return { payload: cache === undefined ? payload : markBreakpoints(payload, request, cache) };
}
