import {
  BASELINES,
  noCompaction,
  offerOf,
  type PolicyOffer,
  type PolicyReplay,
  presetOffers,
  replayableSession,
  replayPolicy,
  type ScriptedSummarizerId,
  scriptedSummarizer,
} from "@threadfold/simulation";
import { type LoadPeer, noPeer } from "./peer.ts";
import { loadSession, type SessionFile } from "./peers-sessions.ts";

/** A session to replay under some policies. */
export interface Job {
  readonly file: SessionFile;
  readonly budgets: readonly number[];
  readonly policies: readonly string[];
  readonly summarizer: ScriptedSummarizerId;
  /** Replays that are already done or given up, as `budget policy`. */
  readonly without: readonly string[];
}

/** What a worker reports to its parent. */
export type WorkerMessage =
  | { readonly type: "session"; readonly calls: number; readonly tokens: number; readonly needs: number }
  | { readonly type: "everything"; readonly replay: PolicyReplay }
  | { readonly type: "begins"; readonly policy: string; readonly budget: number }
  | { readonly type: "replay"; readonly replay: PolicyReplay }
  | { readonly type: "done" };

/** Returns the name of a replay. */
export const replayName = (policy: string, budget: number): string => `${budget} ${policy}`;

const tell = (message: WorkerMessage): unknown => process.send?.(message);
const offers = new Map<string, PolicyOffer>();

async function work({ file, budgets, policies, summarizer: id, without }: Job, loadPeer: LoadPeer): Promise<void> {
  const session = await loadSession(file);
  const exceeded = session === null ? [] : budgets.filter((budget) => session.tokens > budget);
  if (session === null || exceeded.length === 0 || session.calls.length === 0) return;
  const replayable = replayableSession(session);
  const needs = replayable.needs.byCall.flat().length;
  tell({ type: "session", calls: session.calls.length, tokens: Math.round(session.tokens), needs });
  const summarizer = scriptedSummarizer(id);
  for (const budgetTokens of exceeded) {
    const everything = await replayPolicy(replayable, noCompaction, { budgetTokens, summarizer });
    tell({ type: "everything", replay: everything });
    for (const policy of policies.filter((name) => !without.includes(replayName(name, budgetTokens)))) {
      tell({ type: "begins", policy, budget: budgetTokens });
      const offer = await offerBy(policy, id, loadPeer);
      const replay = await replayPolicy(replayable, offer.policyFor(replayable), { budgetTokens, summarizer });
      tell({ type: "replay", replay: { ...replay, policy } });
    }
  }
}

async function offerBy(policy: string, summarizer: ScriptedSummarizerId, loadPeer: LoadPeer): Promise<PolicyOffer> {
  const known = offers.get(policy);
  if (known !== undefined) return known;
  const ours = [...presetOffers(scriptedSummarizer(summarizer)), ...BASELINES].find(({ id }) => id === policy);
  const offer = ours ?? offerOf(await loadPeer(policy));
  offers.set(policy, offer);
  return offer;
}

/** Takes jobs from the parent process and sends it the results. */
export function serveJobs(loadPeer: LoadPeer): void {
  // The parent is gone: nobody would read further results.
  process.on("disconnect", () => process.exit(0));
  process.on("message", (job: Job) => {
    work(job, loadPeer).then(
      () => tell({ type: "done" }),
      (problem: unknown) => {
        process.stderr.write(`${problem instanceof Error ? problem.stack : String(problem)}\n`, () => process.exit(1));
      },
    );
  });
}

if (import.meta.main) serveJobs(noPeer);
