import type { CompactionPlan, JsonObject, PlanVerification, PlanVerifier, SummaryRole } from "@threadfold/core";
import { type ProviderFormat, type RenderInput, type Rendering, renderRequest } from "@threadfold/renderer";
import type { RequestFrame } from "./request-frame.ts";
import type { ThreadState } from "./thread-state.ts";

/** A plan rendered and lowered. */
export interface RenderedPlan {
  readonly rendering: Rendering;
  readonly payload: JsonObject;
  readonly verification: PlanVerification;
}

/** What a rendering depends on beside the plan. */
export interface RenderScene {
  readonly state: ThreadState;
  readonly frame: RequestFrame;
  readonly format: ProviderFormat;
  readonly summaryRole: SummaryRole;
  readonly rehydrated?: NonNullable<RenderInput["rehydrated"]>;
}

/** How many renderings are kept: the current plan's, which is measured again and again, and the newest candidate's. */
const KEPT_RENDERINGS = 2;

/**
 * Renders plans of one scene. The newest renderings are kept, because the plan that was measured and verified is the
 * plan that is sent: it is rendered once.
 */
export class RequestRenderer implements PlanVerifier {
  readonly #scene: RenderScene;
  #renderings: readonly KeptRendering[] = [];
  #newest: { readonly plan: CompactionPlan; readonly rendered: RenderedPlan } | undefined;

  constructor(scene: RenderScene) {
    this.#scene = scene;
  }

  measure(plan: CompactionPlan): number {
    return this.#rendering(plan).tokens;
  }

  verify(plan: CompactionPlan): PlanVerification {
    return this.render(plan).verification;
  }

  render(plan: CompactionPlan): RenderedPlan {
    if (this.#newest !== undefined && rendersAlike(this.#newest.plan, plan))
      return renamed(plan, this.#newest.rendered);
    const rendering = this.#rendering(plan);
    const { payload } = this.#scene.format.lower(rendering.request);
    const { tokens, breakdown, missingPins, manifest } = rendering;
    const violations = this.#scene.format.check(payload, manifest);
    const rendered = { rendering, payload, verification: { tokens, breakdown, missingPins, violations } };
    this.#newest = { plan, rendered };
    return rendered;
  }

  #rendering(plan: CompactionPlan): Rendering {
    const known = this.#renderings.find((kept) => rendersAlike(kept.plan, plan));
    if (known !== undefined) return namedAfter(plan, known.rendering);
    const rendering = this.#render(plan);
    this.#renderings = [{ plan, rendering }, ...this.#renderings].slice(0, KEPT_RENDERINGS);
    return rendering;
  }

  #render(plan: CompactionPlan): Rendering {
    const { state, frame, format, summaryRole, rehydrated } = this.#scene;
    const { thread, ledger } = state;
    const input = { thread, plan, ledger, system: frame.system, tools: frame.tools, summaryRole };
    return renderRequest(rehydrated === undefined ? input : { ...input, rehydrated }, format);
  }
}

interface KeptRendering {
  readonly plan: CompactionPlan;
  readonly rendering: Rendering;
}

/** A rendering of a plan with the same records, whose manifest names this plan: ids change when token figures do. */
function namedAfter(plan: CompactionPlan, rendering: Rendering): Rendering {
  if (rendering.manifest.planId === plan.planId) return rendering;
  // Copied by descriptor, because reading the prefix digests would compute them.
  const manifest = Object.defineProperties({} as Rendering["manifest"], {
    ...Object.getOwnPropertyDescriptors(rendering.manifest),
    planId: { value: plan.planId, enumerable: true },
  });
  return { ...rendering, manifest };
}

function renamed(plan: CompactionPlan, rendered: RenderedPlan): RenderedPlan {
  const rendering = namedAfter(plan, rendered.rendering);
  return rendering === rendered.rendering ? rendered : { ...rendered, rendering };
}

/** True when two plans hold the same records: an id or a token figure changes no byte of the prompt. */
function rendersAlike(a: CompactionPlan, b: CompactionPlan): boolean {
  return (
    a.threadVersion === b.threadVersion &&
    a.version === b.version &&
    a.externalizations === b.externalizations &&
    a.summarizations === b.summarizations &&
    a.clearings === b.clearings &&
    a.drops === b.drops
  );
}
