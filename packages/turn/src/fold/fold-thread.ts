import {
  asPlanId,
  type CompactionPlan,
  type ContextCompactionConfig,
  EventLoopTurns,
  groupRecords,
  historyNotLoaded,
  type MessageId,
  type NormalizationChange,
  normalizePlanInSteps,
  PLAN_SCHEMA_VERSION,
  type PlanRecord,
  type PlanRecords,
  planRecords,
  type Steps,
  type Stretch,
  sealPlan,
  ThreadfoldError,
  type ThreadShape,
  type TokenBudget,
  threadShape,
  tokenBudget,
} from "@threadfold/core";
import { type CompactionProposal, DraftPlan, unreadResults } from "@threadfold/strategies";
import { configForEpoch, growthPerCall } from "../decide/costs.ts";
import { bodyArchive } from "../fulfil/body-archive.ts";
import { withJoinedDrops, withKeptFields } from "../fulfil/drop-records.ts";
import { type FoldGrounds, groundChanges, settleProposals, storeIrreplaceable } from "../fulfil/fold-grounds.ts";
import { fulfilProposal } from "../fulfil/fulfil-proposal.ts";
import type { Fulfilment } from "../fulfil/fulfilment.ts";
import { replayChecks } from "../fulfil/replay-checks.ts";
import { withCountedParts } from "../fulfil/summarization-record.ts";
import { systemTokensInside } from "../measure/thread-state.ts";
import { absorbedStretches } from "../propose/absorbed-stretches.ts";
import { type FoldAttempt, foldAttempts } from "../propose/attempts.ts";
import { type DraftedAttempt, draftAttempt } from "../propose/draft-attempt.ts";
import { type Candidate, Candidates } from "../verify/candidates.ts";
import type { FoldResult } from "../verify/fold-result.ts";
import { type ShownUnread, showUnread, unreadBodies } from "../verify/show-unread.ts";
import type { FoldInput, FoldPorts } from "./fold-input.ts";
import { hiddenTools, searchesBehind } from "./hidden-tools.ts";

/**
 * Folds a thread to its target: propose, normalize, fulfil, verify, attempt by attempt, until a plan fits. Nothing is
 * committed here, and neither the thread nor the current plan changes. The number of attempts is fixed, so the walk
 * always ends (P3).
 *
 * @param leftOut stretches that earlier folds absorbed and that this one does not look at; they do not affect the plan.
 */
export async function foldThread(
  input: FoldInput,
  ports: FoldPorts,
  leftOut: readonly Stretch[] = absorbedStretches(input, input.config.maxInputTokens),
): Promise<FoldResult> {
  const before = ports.verifier.measure(input.plan);
  const unchanged = { before, after: before };
  try {
    return await runFold(input, ports, before, leftOut).catch((cause: unknown) => {
      // Something needed a part that was left out, so fold again with the whole thread.
      if (leftOut.length > 0 && ThreadfoldError.isInstance(cause) && cause.code === "HISTORY_NOT_LOADED")
        return runFold(input, ports, before, []);
      throw cause;
    });
  } catch (cause) {
    if (input.signal?.aborted === true) return { type: "aborted", tokens: unchanged };
    throw cause;
  }
}

async function runFold(
  input: FoldInput,
  ports: FoldPorts,
  before: number,
  leftOut: readonly Stretch[],
): Promise<FoldResult> {
  const fold = new Fold(input, ports, before, leftOut);
  const result = await fold.run();
  const notStored = fold.notStored;
  return notStored.length === 0 ? result : { ...result, notStored };
}

/**
 * Maximum number of tries for one attempt. Strategies estimate, and a format may leave out content that was counted
 * (reasoning, media), so the tokens by which the rendering exceeds the target are added to what the next try must free.
 */
const MAX_TRIES = 3;

class Fold {
  readonly #input: FoldInput;
  readonly #ports: FoldPorts;
  readonly #before: number;
  readonly #room: TokenBudget;
  readonly #candidates: Candidates;
  readonly #shape: ThreadShape;
  readonly #isAbridged: boolean;
  readonly #now: string;
  readonly #grounds: FoldGrounds;
  readonly #turns = new EventLoopTurns();
  readonly #unanswering = new Set<string>();
  readonly #unread: readonly number[];
  readonly #known = new Set<string>();

  constructor(input: FoldInput, ports: FoldPorts, before: number, leftOut: readonly Stretch[]) {
    const { thread, ledger, tenantId = null, signal } = input;
    const { artifactTtlSeconds: ttlSeconds } = input.config;
    const growth = growthPerCall(ledger.totalTokens, thread.position.step);
    this.#input = { ...input, config: configForEpoch(input.config, growth) };
    this.#room = tokenBudget(this.#input.config);
    this.#ports = ports;
    this.#before = before;
    this.#shape = threadShape(thread, ledger, input.grouped, leftOut);
    this.#isAbridged = leftOut.length > 0;
    this.#unread = unreadResults(this.#shape);
    this.#now = new Date(ports.clock.now()).toISOString();
    this.#grounds = {
      replays: replayChecks(thread, this.#shape, ports.determinismProbe, signal),
      archive: bodyArchive(
        thread,
        ports.artifacts,
        { tenantId, now: this.#now, ttlSeconds },
        signal,
        ports.onStorageProblem,
      ),
    };
    this.#candidates = new Candidates({
      before,
      room: this.#room,
      hard: input.hard,
      instructed: input.instructions !== undefined,
      systemTokensInside: systemTokensInside(ledger),
      verifyCurrent: () => ports.verifier.verify(input.plan),
    });
  }

  /** Messages whose bodies the artifact store did not accept. */
  get notStored(): readonly MessageId[] {
    return this.#grounds.archive.problems.map(({ messageId }) => messageId);
  }

  async run(): Promise<FoldResult> {
    const { overheadTokens, floorOnly = false } = this.#input;
    const config = this.#ladderConfig;
    const { target, softLimit } = this.#room;
    const unchanged = { before: this.#before, after: this.#before };
    if (this.#before <= target)
      return { type: "no-op", reason: `${this.#before} tokens are within the target of ${target}`, tokens: unchanged };
    const unreadTokens = this.#unreadTokens;
    const mayStayWhole = unreadTokens + overheadTokens <= this.#room.limitTokens;
    const unread = { exist: this.#unread.length > 0, mayStayWhole };
    for (const attempt of foldAttempts(this.#ports.ladder, config, target - overheadTokens, unread)) {
      if (floorOnly && !attempt.floor) continue;
      if (this.#candidates.isDecided) break;
      // This attempt keeps nothing of the current plan and folds the whole thread again.
      if (this.#isAbridged && attempt.summaryMaxTokens === 0) throw historyNotLoaded();
      // Unread results are worth more than the tokens they take: they go only when nothing else fits.
      if (attempt.newest === "nothing" && this.#candidates.serve(attempt)) break;
      if (attempt.newest === "nothing" && unread.exist && this.#before <= this.#room.limitTokens) break;
      // Below the soft threshold (a fold that was asked for) there is no pressure: what the ladder leaves alone stays.
      if (attempt.floor && this.#before <= softLimit) break;
      const goal = this.#goal(attempt);
      let needed = this.#before - goal - (attempt.unread === "ends" ? unreadTokens : 0);
      let reached = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const candidate = await this.#try(attempt, needed);
        if (candidate === null) break;
        this.#candidates.add(candidate);
        const { tokens } = candidate.verification;
        const { enough, restTokens } = candidate.unread;
        if (this.#candidates.isSound(candidate) && enough && tokens <= softLimit) return this.#candidates.choose();
        if (!this.#candidates.isSound(candidate) || restTokens >= reached || attempt.exhaustive) break;
        reached = restTokens;
        needed += Math.max(1, restTokens - goal);
      }
    }
    return this.#candidates.choose();
  }

  /** Content that was just brought back is not folded away again in the same turn, by whichever rung. */
  get #ladderConfig(): ContextCompactionConfig {
    const { config, sparesRehydrated = false } = this.#input;
    return sparesRehydrated ? { ...config, enableExternalization: false, enableDropping: false } : config;
  }

  /** The current plan as a draft that changes nothing. */
  get #current(): DraftPlan {
    return new DraftPlan(this.#input.plan, this.#shape);
  }

  /** Tokens that unread results take under the current plan. */
  get #unreadTokens(): number {
    if (this.#unread.length === 0) return 0;
    const current = this.#current;
    return this.#unread.reduce((sum, ordinal) => sum + current.renderedTokens(this.#shape.header(ordinal)), 0);
  }

  /**
   * Returns the target of an attempt. If it can only show the ends of unread results, half of the request is for them.
   */
  #goal(attempt: FoldAttempt): number {
    const { target, softLimit, roomTokens } = this.#room;
    // The floor folds no more than an epoch needs.
    const goal = attempt.floor ? Math.max(target, Math.min(Math.floor(roomTokens / 2), softLimit)) : target;
    return attempt.unread === "ends" && this.#unread.length > 0 ? Math.min(goal, Math.floor(softLimit / 2)) : goal;
  }

  /** Makes and renders the plan of one attempt; null when it would change nothing. */
  async #try(planned: FoldAttempt, needed: number): Promise<Candidate | null> {
    const { draft, attempt } = await this.#settledDraft(planned, needed);
    if (draft.isUnchanged || this.#isKnown(draft, attempt)) return null;
    if (!this.#candidates.mayServe(() => draft.tokensIn(this.#current))) return null;
    await this.#hearSignal();
    let summarizerProblem: string | null = null;
    let instructionsUsed = false;
    const changed: NormalizationChange[] = [];
    const records = await this.#fulfil(draft, attempt, {
      onChange: (change) => {
        changed.push(change);
      },
      onSummarizerFailure: (problem) => {
        summarizerProblem = problem;
      },
      onInstructionsUsed: () => {
        instructionsUsed = true;
      },
    });
    await this.#hearSignal();
    const normalized = await this.#inSteps(normalizePlanInSteps(groupRecords(records), this.#shape));
    if (planRecords(normalized.records).length === 0) return null;
    const { plan, ledger } = this.#input;
    const made = records.filter(({ sincePlanVersion }) => sincePlanVersion > plan.version);
    const counted = withCountedParts(normalized.records, [...plan.summarizations, ...made], ledger);
    await this.#inSteps(searchesBehind({ ...this.#input, shape: this.#shape }));
    await this.#hearSignal();
    const unread = await this.#showUnread(counted, attempt);
    const verification = this.#ports.verifier.verify(this.#draft(unread.records, 0));
    const sealed = sealPlan(this.#draft(unread.records, verification.tokens));
    await this.#hearSignal();
    const changes = [...groundChanges(this.#grounds, this.#shape), ...changed, ...normalized.changes];
    return { plan: sealed, verification, attempt, changes, summarizerProblem, instructionsUsed, unread };
  }

  /** True for what an earlier try did already: it would only be summarized again, and come to the same. */
  #isKnown(draft: DraftPlan, { unread, summaryMaxTokens }: FoldAttempt): boolean {
    const key = JSON.stringify([unread, summaryMaxTokens, draft.sums]);
    const isKnown = this.#known.has(key);
    this.#known.add(key);
    return isKnown;
  }

  /** Divides the tokens that a plan leaves free among the unread results that do not fit whole. */
  async #showUnread(records: PlanRecords, attempt: FoldAttempt): Promise<ShownUnread> {
    const bodies =
      attempt.unread === "ends" ? unreadBodies(this.#unread, records, this.#input.thread, this.#shape) : [];
    const measure = async (shown: PlanRecords): Promise<number> => {
      await this.#hearSignal();
      return this.#ports.verifier.measure(this.#draft(shown, 0));
    };
    return showUnread(records, bodies, this.#room, (text) => this.#input.ledger.tokenizer.countTokens(text), measure);
  }

  /** Checks the signal after letting due timers run: a long fold would otherwise hold up the timer that aborts it. */
  async #hearSignal(): Promise<void> {
    await this.#turns.take();
    this.#input.signal?.throwIfAborted();
  }

  #inSteps<Result>(steps: Steps<Result>): Promise<Result> {
    return this.#turns.finish(steps, this.#input.signal);
  }

  /** Returns a draft that clears only what may be cleared and externalizes only what is stored. */
  async #settledDraft(attempt: FoldAttempt, needed: number): Promise<DraftedAttempt> {
    const { plan } = this.#input;
    const config = this.#ladderConfig;
    const { replays, archive } = this.#grounds;
    for (;;) {
      const drafted = await this.#inSteps(
        draftAttempt(attempt, plan, this.#shape, config, needed, (proposal) => this.#tell(proposal), {
          replayVerdict: replays.verdictOf,
          mayStore: archive.mayStore,
        }),
      );
      if (await settleProposals(drafted.draft.proposals, this.#grounds, this.#shape)) return drafted;
    }
  }

  *#tell(proposal: CompactionProposal): Steps<void> {
    const span = yield* this.#shape.spanInSteps(proposal.ordinals);
    this.#ports.onProposal?.(proposal, span);
  }

  async #fulfil(
    draft: DraftPlan,
    attempt: FoldAttempt,
    heard: Pick<Fulfilment, "onSummarizerFailure" | "onInstructionsUsed" | "onChange">,
  ): Promise<readonly PlanRecord[]> {
    const { thread, ledger, config, plan, instructions, signal, keepsOnFailure = false } = this.#input;
    const { summaryTimeLimitMs } = this.#input;
    const { summarizer, redact } = this.#ports;
    const fulfilment: Fulfilment = {
      thread,
      shape: this.#shape,
      records: plan,
      tokenizer: ledger.tokenizer,
      config,
      summarizer,
      artifactOf: this.#grounds.archive.artifactOf,
      storeText: this.#grounds.archive.storeText,
      ladder: attempt.ladder,
      planVersion: plan.version + 1,
      summaryMaxTokens: attempt.summaryMaxTokens,
      keepsOnFailure,
      unanswering: this.#unanswering,
      ...(summaryTimeLimitMs !== undefined && { summaryTimeLimitMs }),
      ...heard,
      ...(redact !== undefined && { redact }),
      ...(instructions !== undefined && { instructions }),
      ...(signal !== undefined && { signal }),
    };
    const { proposals } = draft;
    if (config.enableExternalization && attempt.summaryMaxTokens > 0)
      await storeIrreplaceable(proposals, this.#grounds.archive, this.#shape);
    await this.#hearSignal();
    const records: PlanRecord[] = [...draft.keptRecords];
    for (const proposal of proposals) {
      const record = await fulfilProposal(proposal, fulfilment);
      if (record !== null) records.push(record);
    }
    return this.#inSteps(withJoinedDrops(await withKeptFields(records, proposals, fulfilment), fulfilment));
  }

  /** Returns a provisional plan for rendering, without a real id. */
  #draft(records: PlanRecords, compactedTokens: number): CompactionPlan {
    const { thread, plan, config, ledger, overheadTokens } = this.#input;
    return {
      ...records,
      schemaVersion: PLAN_SCHEMA_VERSION,
      planId: asPlanId("draft"),
      threadId: thread.id,
      threadVersion: thread.version,
      version: plan.version + 1,
      policyVersion: config.policyVersion,
      createdAt: this.#now,
      originalTokens: ledger.totalTokens + overheadTokens,
      compactedTokens,
      ...hiddenTools(records, { ...this.#input, shape: this.#shape }),
    };
  }
}
