import {
  type AgentThread,
  type CompactionPlan,
  type JsonObject,
  type PlanVerification,
  type PlanVerifier,
  type Steps,
  type SummaryRole,
  type SummaryWording,
  scaledTokens,
  type TokenBreakdown,
} from "@threadfold/core";
import {
  GrowingPayload,
  GrowingRendering,
  type PayloadDigest,
  type ProviderFormat,
  type RenderInput,
  type Rendering,
  rendersAlike,
} from "@threadfold/renderer";
import { AS_COUNTED, type ProviderCount, providerTokens } from "./provider-count.ts";
import type { RequestFrame } from "./request-frame.ts";
import type { ThreadState } from "./thread-state.ts";

/** A plan rendered and lowered to a provider's payload. */
export interface RenderedPlan {
  /** The neutral request, with figures of our counter. */
  readonly rendering: Rendering;
  readonly payload: JsonObject;
  /** Figures in the provider's tokens. */
  readonly verification: PlanVerification;
  /** Canonical bytes of the payload and their digest; computed when first read. */
  readonly digest: PayloadDigest;
}

/** What a rendering depends on in addition to the plan. */
export interface RenderSources {
  readonly state: ThreadState;
  readonly frame: RequestFrame;
  readonly format: ProviderFormat;
  readonly summaryRole: SummaryRole;
  readonly summaryWording?: SummaryWording;
  /** Name of the model that the request is for. */
  readonly model?: string;
  /** How the provider counts; like our counter by default. */
  readonly count?: ProviderCount;
  readonly rehydrated?: NonNullable<RenderInput["rehydrated"]>;
}

/** Thread entries that are rendered in one step. */
const ENTRIES_A_STEP = 1_000;
/**
 * Lowering walks everything rendered so far in each step, so steps grow with it: to this share of the entries so far.
 */
const LOWERED_A_STEP = 1 / 16;

/** Number of renderings that are kept: the current plan's, which is measured repeatedly, and the newest candidate's. */
const KEPT_RENDERINGS = 2;

interface KeptRendering {
  readonly plan: CompactionPlan;
  readonly growing: GrowingRendering;
  readonly payload: GrowingPayload | null;
}

/**
 * Renders plans of one thread, frame and format. The newest renderings are kept, so that the plan that was measured and
 * verified is not rendered again when it is sent. A renderer that succeeds another reuses what that one has rendered.
 */
export class RequestRenderer implements PlanVerifier {
  readonly #sources: RenderSources;
  /** Renderings taken over from the previous renderer. */
  readonly #earlier: readonly KeptRendering[];
  #kept: readonly KeptRendering[] = [];

  constructor(sources: RenderSources, previous?: RequestRenderer) {
    this.#sources = sources;
    const isOfFormat = previous !== undefined && previous.#sources.format === sources.format;
    this.#earlier = isOfFormat ? previous.#latest : [];
  }

  /** Its own renderings, or those taken over while it has none. */
  get #latest(): readonly KeptRendering[] {
    return this.#kept.length > 0 ? this.#kept : this.#earlier;
  }

  /** The tools of its requests. */
  get tools(): RequestFrame["tools"] {
    return this.#sources.frame.tools;
  }

  measure(plan: CompactionPlan): number {
    return providerTokens(this.#count, plan, this.#rendered(plan).growing.tokens);
  }

  /** Returns the neutral request of a plan, without lowering it. */
  rendering(plan: CompactionPlan): Rendering {
    return this.#rendered(plan).growing.rendering;
  }

  get #count(): ProviderCount {
    return this.#sources.count ?? AS_COUNTED;
  }

  verify(plan: CompactionPlan): PlanVerification {
    return this.render(plan).verification;
  }

  render(plan: CompactionPlan): RenderedPlan {
    const kept = this.#rendered(plan);
    const payload = kept.payload ?? this.#lower(kept);
    const rendering = namedAfter(plan, kept.growing.rendering);
    const { missingPins } = rendering;
    const tokens = providerTokens(this.#count, plan, rendering.tokens);
    const breakdown = breakdownOf(rendering, this.#count, tokens);
    const verification = { tokens, breakdown, missingPins, violations: payload.violations };
    return new LoweredPlan(rendering, payload, verification);
  }

  #rendered(plan: CompactionPlan): KeptRendering {
    const known = this.#kept.find((kept) => rendersAlike(kept.plan, plan));
    return known ?? this.#keep({ plan, growing: this.#render(plan), payload: null });
  }

  /**
   * Renders a plan in steps if much of the thread is new, so that measuring it afterwards is quick. The result is the
   * same as without this call.
   *
   * @param lowers true for a request that will be recorded as it is: its payload is also lowered, checked and hashed in
   * steps.
   */
  *catchUp(plan: CompactionPlan, lowers = false): Steps<void> {
    const { format, state } = this.#sources;
    const { thread } = state;
    if (!thread.isWhole || this.#kept.some((kept) => rendersAlike(kept.plan, plan))) return;
    let { growing, payload = null } = this.#before(plan) ?? {};
    const from = Math.max(growing?.threadVersion ?? 0, plan.threadVersion);
    const behind = (version: number): number =>
      version + Math.max(ENTRIES_A_STEP, lowers ? Math.floor(version * LOWERED_A_STEP) : 0);
    for (let version = behind(from); version < thread.version; version = behind(version)) {
      const settled = growing?.settledChats.length ?? 0;
      const input = this.#inputFor(plan, thread.atVersion(version));
      growing = growing?.grow(input) ?? GrowingRendering.of(input, format);
      // If nothing settles, every step would render everything again.
      if (growing.settledChats.length <= settled) return;
      yield;
      if (lowers) payload = yield* loweredInSteps(growing, payload, format);
    }
    if (growing === undefined) return;
    growing = growing.grow(this.#inputFor(plan, thread));
    if (lowers) payload = yield* loweredInSteps(growing, payload, format);
    this.#keep({ plan, growing, payload: lowers ? payload : null });
  }

  #render(plan: CompactionPlan): GrowingRendering {
    const input = this.#inputFor(plan, this.#sources.state.thread);
    return this.#before(plan)?.growing.grow(input) ?? GrowingRendering.of(input, this.#sources.format);
  }

  #inputFor(plan: CompactionPlan, thread: AgentThread): RenderInput {
    const { state, frame, summaryRole, summaryWording, model, rehydrated } = this.#sources;
    const input = { thread, plan, ledger: state.ledger, system: frame.system, tools: frame.tools, summaryRole };
    return {
      ...input,
      ...(summaryWording !== undefined && { summaryWording }),
      ...(model !== undefined && { model }),
      ...(frame.host !== undefined && { host: frame.host }),
      ...(rehydrated !== undefined && { rehydrated }),
    };
  }

  #lower(kept: KeptRendering): GrowingPayload {
    const { growing, plan } = kept;
    const payload = this.#before(plan)?.payload?.grow(growing) ?? GrowingPayload.of(growing, this.#sources.format);
    this.#keep({ plan, growing, payload });
    return payload;
  }

  #before(plan: CompactionPlan): KeptRendering | undefined {
    return this.#earlier.find((kept) => rendersAlike(kept.plan, plan));
  }

  #keep(kept: KeptRendering): KeptRendering {
    const others = this.#kept.filter(({ growing }) => growing !== kept.growing);
    this.#kept = [kept, ...others].slice(0, KEPT_RENDERINGS);
    return kept;
  }
}

// A class, because V8 retains what getters of object literals capture until its next major collection: whole payloads.
class LoweredPlan implements RenderedPlan {
  readonly rendering: Rendering;
  readonly payload: JsonObject;
  readonly verification: PlanVerification;
  readonly #growing: GrowingPayload;

  constructor(rendering: Rendering, growing: GrowingPayload, verification: PlanVerification) {
    this.rendering = rendering;
    this.payload = growing.payload;
    this.verification = verification;
    this.#growing = growing;
  }

  get digest(): PayloadDigest {
    return this.#growing.digest;
  }
}

/** Lowers a rendering in steps, continuing from an earlier payload, and computes its digest. */
function* loweredInSteps(
  growing: GrowingRendering,
  before: GrowingPayload | null,
  format: ProviderFormat,
): Steps<GrowingPayload> {
  const payload = before?.grow(growing) ?? GrowingPayload.of(growing, format);
  yield;
  // Later payloads reuse what is hashed now.
  payload.digest;
  yield;
  return payload;
}

/** Returns a rendering whose manifest names this plan, which has the same records: ids change when token figures do. */
function namedAfter(plan: CompactionPlan, rendering: Rendering): Rendering {
  if (rendering.manifest.planId === plan.planId) return rendering;
  // Copied by descriptor, because reading the prefix digests would compute them.
  const manifest = Object.defineProperties({} as Rendering["manifest"], {
    ...Object.getOwnPropertyDescriptors(rendering.manifest),
    planId: { value: plan.planId, enumerable: true },
  });
  return { ...rendering, manifest };
}

/** Returns a breakdown of the provider's tokens; those that are not visible are overhead. */
function breakdownOf(
  { breakdown, tokens: counted }: Rendering,
  { estimate }: ProviderCount,
  tokens: number,
): TokenBreakdown {
  if (tokens === counted) return breakdown;
  const { system, tools, pins, summaries, pointers, kept, rehydrated } = breakdown;
  const scaled = {
    system: scaledTokens(estimate, system),
    tools: scaledTokens(estimate, tools),
    pins: scaledTokens(estimate, pins),
    summaries: scaledTokens(estimate, summaries),
    pointers: scaledTokens(estimate, pointers),
    kept: scaledTokens(estimate, kept),
    rehydrated: scaledTokens(estimate, rehydrated),
  };
  const shown = Object.values(scaled).reduce((sum, share) => sum + share, 0);
  // If the reported figure is below the estimate for the same request, the difference is taken from what is kept.
  const excess = Math.max(0, shown - tokens);
  return { ...scaled, kept: scaled.kept - excess, overhead: Math.max(0, tokens - shown) };
}
