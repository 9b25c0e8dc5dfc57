import { ThreadView } from "@threadfold/core";
import { requirementsFor } from "../capabilities/requirements-for.ts";
import { pinsLacking } from "../conform/provider-items.ts";
import type { ProviderFormat } from "../formats/provider-format.ts";
import type { RenderInput, Rendering } from "../input/render-input.ts";
import { draftRequest } from "../neutral/draft-view.ts";
import { composeRendering, renderedFrame } from "./compose-rendering.ts";
import { NOTHING_SETTLED, requestPiece } from "./settled-request.ts";

/**
 * Applies a plan to a thread and builds the request that a format sends: the view is drafted message by message, made
 * legal by the format's requirements, counted and described. Pure: the same input produces the same bytes, and between
 * two plans a longer thread only adds to the end. This function defines what a rendering is; `GrowingRendering` reaches
 * the same result from what it rendered a turn ago.
 */
export function renderRequest(given: RenderInput, format: ProviderFormat): Rendering {
  const input = { ...given, ledger: given.ledger.extend(given.thread) };
  const requirements = requirementsFor(format.rules.requirements, input);
  const view = ThreadView.of(input.thread, input.plan, pinsLacking(input, requirements));
  const { system, sources, drafts } = draftRequest(view.entries, input);
  const whole = { first: true, last: true };
  const legal = requestPiece({ system, tools: input.tools, drafts }, input, requirements, whole);
  const frame = renderedFrame(legal, system, sources, input);
  return composeRendering({ input, format, requirements }, frame, NOTHING_SETTLED(), legal);
}
