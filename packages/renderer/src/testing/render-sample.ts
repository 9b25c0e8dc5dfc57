import type { AgentThread, CompactionPlan } from "@threadfold/core";
import { FORMATS, formatById } from "../formats/formats.ts";
import type { ProviderFormat } from "../formats/provider-format.ts";
import type { RenderInput, Rendering } from "../input/render-input.ts";
import { countThread } from "../laws/render-inputs.ts";
import { renderRequest } from "../rendering/render-request.ts";
import { planWith } from "./sample-thread.ts";

/** A payload in the shape of whichever provider a test is about. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads the provider's own field names, which no type of ours has.
export type AnyJson = any;

/** Renders a thread, with defaults for everything that a test does not specify. */
export function renderSample(
  thread: AgentThread,
  options: Partial<RenderInput> & { readonly format?: string } = {},
): Rendering & { readonly format: ProviderFormat; readonly messages: readonly AnyJson[]; readonly payload: AnyJson } {
  const { format: id = "neutral", plan = planWith(thread), ...rest } = options;
  const format = formatById(id);
  const rendering = renderRequest(
    { thread, plan, ledger: countThread(thread), system: [], tools: [], ...rest },
    format,
  );
  const { payload } = format.lower(rendering.request);
  return { ...rendering, format, payload, messages: payload.messages as readonly AnyJson[] };
}

/** Renders a thread in every format in turn. */
export const inEveryFormat = (thread: AgentThread, plan: CompactionPlan, options: Partial<RenderInput> = {}) =>
  FORMATS.map(({ id }) => renderSample(thread, { plan, format: id, ...options }));
