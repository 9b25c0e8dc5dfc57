import { availableParallelism } from "node:os";
import { BASELINES, FiguresTally, type PolicyReplay, SCRIPTED_SUMMARIZERS } from "@threadfold/simulation";
import { PRESETS } from "threadfold";
import { benchMachine } from "./bench-machine.ts";
import { absentPeers, arePeersInstalled, installPeers, listedPeers, peerVersion } from "./peers-install.ts";
import { type GivenUp, runJobs } from "./peers-pool.ts";
import type { PeersResults, PolicyKind } from "./peers-results.ts";
import { sessionFiles } from "./peers-sessions.ts";
import { type Job, replayName } from "./peers-worker.ts";

const SAMPLE = { files: 2, budgets: [20_000], largest: 120_000 };

const flag = (name: string): boolean => process.argv.includes(`--${name}`);
const values = (name: string): readonly string[] =>
  process.argv.filter((word) => word.startsWith(`--${name}=`)).map((word) => word.slice(name.length + 3));

const say = (text: string): unknown => process.stderr.write(`${text}\n`);

/** The comparison that the command line asks for; see {@link comparePolicies} for its options. */
export interface Comparison {
  readonly results: PeersResults;
  /** True if every policy ran at every budget on every session: a partial run does not represent all. */
  readonly isWhole: boolean;
}

/**
 * Replays every recorded session under our presets, the baselines and the peers. Options: `--sample` replays only two
 * small sessions, to show that it works; `--policy=NAME` (repeatable) selects policies; `--summarizer=lossy` uses
 * another stand-in for the LLM, `--budgets=20000,50000` other budgets; with `--without-install`, peers that are not
 * installed are left out.
 */
export async function comparePolicies(usualBudgets: readonly number[]): Promise<Comparison> {
  const sample = flag("sample");
  const summarizer = SCRIPTED_SUMMARIZERS.find((id) => id === values("summarizer")[0]) ?? "extractive";
  const [asked] = values("budgets");
  const budgets = asked?.split(",").map(Number) ?? (sample ? SAMPLE.budgets : usualBudgets);

  const installing = flag("without-install") ? 0 : installPeers();
  if (installing > 0) say(`The peers were installed in ${installing.toFixed(0)} s.`);
  const peers = arePeersInstalled() ? listedPeers() : [];
  if (peers.length === 0) say("The peers are not installed and are left out.");
  const wanted = values("policy");
  const kinds = new Map<string, PolicyKind>([
    ...PRESETS.map(({ name }) => [name, "preset"] as const),
    ...BASELINES.map(({ id }) => [id, "baseline"] as const),
    ...peers.map(({ policy }) => [policy, "peer"] as const),
  ]);
  const policies = [...kinds.keys()].filter((policy) => wanted.length === 0 || wanted.includes(policy));
  const jobs = chosenFiles(sample).map((file): Job => ({ file, budgets, policies, summarizer, without: [] }));

  const start = performance.now();
  const tallies = new Map(
    budgets.flatMap((budget) =>
      policies.map((policy) => [replayName(policy, budget), new FiguresTally(policy, budget)] as const),
    ),
  );
  const everything = new Map<string, PolicyReplay>();
  const sessions = new Map<string, PeersResults["sessions"][number]>();
  const givenUp: GivenUp[] = [];
  const processes = Math.min(2, availableParallelism());
  await runJobs(jobs, {
    processes,
    onGivenUp: (given) => givenUp.push(given),
    onMessage: ({ file }, message) => {
      if (message.type === "session" && !sessions.has(file.name)) {
        const { calls, tokens, needs } = message;
        sessions.set(file.name, { name: file.name, calls, tokens, needs });
        say(`${((performance.now() - start) / 1_000).toFixed(0).padStart(5)} s  ${file.name} (${calls} calls)`);
      }
      if (message.type === "everything") everything.set(`${message.replay.budgetTokens} ${file.name}`, message.replay);
      if (message.type !== "replay") return;
      const { replay } = message;
      const compared = everything.get(`${replay.budgetTokens} ${file.name}`);
      if (compared !== undefined) tallies.get(replayName(replay.policy, replay.budgetTokens))?.add(replay, compared);
    },
  });
  const results: PeersResults = {
    schemaVersion: 1,
    machine: benchMachine(),
    sample,
    summarizer,
    processes,
    seconds: (performance.now() - start) / 1_000,
    sessions: [...sessions.values()],
    policies: [...tallies.values()].map((tally) => ({
      ...tally.figures(),
      kind: kinds.get(tally.policy) ?? "peer",
    })),
    versions: Object.fromEntries(peers.map((peer) => [peer.package, peerVersion(peer.package)])),
    absent: absentPeers(),
    givenUp,
  };
  return { results, isWhole: !sample && wanted.length === 0 && asked === undefined };
}

/** Returns the largest files first, so that no process ends up alone with one; for the sample, some of medium size. */
function chosenFiles(sample: boolean): ReturnType<typeof sessionFiles> {
  const files = sessionFiles();
  const middling = files.filter(isMiddling);
  return sample ? (middling.length > 0 ? middling : files).slice(0, SAMPLE.files) : files;
}

/** Only files that are not gzipped, so that the size on disk reflects the length. */
function isMiddling({ path, size }: ReturnType<typeof sessionFiles>[number]): boolean {
  return !path.endsWith(".gz") && size <= SAMPLE.largest;
}
