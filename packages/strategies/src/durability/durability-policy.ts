import {
  type ContextCompactionConfig,
  type DurabilityOf,
  type MessageHeader,
  type ProbeVerdict,
  plainToolName,
  type ThreadShape,
  type ToolDurability,
  type ToolDurabilityPolicy,
} from "@threadfold/core";
import { type CompactionProposal, POINTER_TOKENS, pointerTokens } from "../strategy/compaction-strategy.ts";

/** Returns the policy that the configuration sets for a tool by its exact name; undefined when it sets none. */
export function toolOverride(
  config: Pick<ContextCompactionConfig, "toolDurabilityOverrides">,
  toolName: string,
): ToolDurabilityPolicy | undefined {
  return Object.hasOwn(config.toolDurabilityOverrides, toolName) ? config.toolDurabilityOverrides[toolName] : undefined;
}

/** Returns the policy that applies to a tool: an override by exact name, else the built-in table, else the default. */
export function toolPolicy(config: ContextCompactionConfig, toolName: string): ToolDurabilityPolicy {
  const override = toolOverride(config, toolName);
  if (override !== undefined) return override;
  return { durability: builtIn(toolName) ?? config.defaultToolDurability, mustPreserveFields: [], replayCost: "cheap" };
}

/** Returns a function that classifies results by tool for the ledger. A durability set on a result takes precedence. */
export function durabilityPolicy(config: ContextCompactionConfig): DurabilityOf {
  const known = new Map<string, ToolDurability>();
  return (result) => {
    let durability = known.get(result.toolName);
    if (durability === undefined) {
      durability = toolPolicy(config, result.toolName).durability;
      known.set(result.toolName, durability);
    }
    return durability;
  };
}

function builtIn(toolName: string): ToolDurability | undefined {
  const name = plainToolName(toolName);
  return Object.hasOwn(BUILT_IN_DURABILITY, name) ? BUILT_IN_DURABILITY[name] : undefined;
}

/** Tools that read back what is in the thread or the artifact store. Their results can be fetched again at any time. */
const RETRIEVAL_TOOLS = ["readartifact", "recall"];

/** Checks whether a tool only reads back stored content, so that its results need not be stored again. */
export const isRetrieval = (toolName: string | undefined): boolean =>
  toolName !== undefined && RETRIEVAL_TOOLS.includes(plainToolName(toolName));

/** Bodies up to this size, in tokens, are not externalized: a pointer would hardly be shorter. */
export const MIN_EXTERNALIZED_TOKENS = 2 * POINTER_TOKENS;

/**
 * Applies the durability rules to a proposal, whichever strategy made it: results that may not be cleared are
 * externalized instead, or kept when they are small. A truncation (`keep`) is left alone: it is the floor's last
 * resort and comes after whatever could be externalized.
 *
 * @param config when it disables externalization, results that may not be cleared are kept.
 */
export function durableProposals(
  proposal: CompactionProposal,
  shape: ThreadShape,
  verdictOf: (ordinal: number) => ProbeVerdict | undefined,
  config: Pick<ContextCompactionConfig, "enableExternalization" | "toolDurabilityOverrides">,
): readonly CompactionProposal[] {
  if (proposal.action !== "clear" || proposal.keep !== undefined || !proposal.targets.includes("tool-result"))
    return [proposal];
  const clearable: number[] = [];
  const instead: CompactionProposal[] = [];
  for (const ordinal of proposal.ordinals) {
    const header = shape.header(ordinal);
    const problem = clearingProblem(header, verdictOf(ordinal), config);
    if (problem === null) {
      clearable.push(ordinal);
    } else if (config.enableExternalization && header.shares.toolResult > MIN_EXTERNALIZED_TOKENS) {
      instead.push({
        action: "externalize",
        strategy: proposal.strategy,
        ordinals: [ordinal],
        estimatedTokensFreed: header.shares.toolResult - pointerTokens(header.shares.toolResult),
        reason: `The result of ${header.toolName} may not be cleared because ${problem}; its body is in the artifact store.`,
      });
    }
  }
  if (clearable.length === proposal.ordinals.length) return [proposal];
  return clearable.length === 0 ? instead : [{ ...proposal, ordinals: clearable }, ...instead];
}

/**
 * Why a tool result may not be cleared, as the end of a sentence; null when it may be. A replayable result whose source
 * has not been checked yet may be proposed: the check comes before anything is committed.
 */
function clearingProblem(
  header: MessageHeader,
  verdict: ProbeVerdict | undefined,
  config: Pick<ContextCompactionConfig, "toolDurabilityOverrides">,
): string | null {
  const { toolName } = header;
  if (toolName !== undefined && toolOverride(config, toolName)?.replayCost === "expensive")
    return "calling it again is expensive";
  if (header.durability === "non_replayable") return "it cannot be replayed";
  if (header.durability !== "replayable") return null;
  if (verdict === "changed") return "its source has changed since";
  return verdict === "unverifiable" ? "nothing verifies that its source is unchanged" : null;
}

/**
 * How the results of common tools may be folded, by tool name in lower case without separators. Tools and configuration
 * override it; see {@link durabilityPolicy}.
 */
export const BUILT_IN_DURABILITY: Readonly<Record<string, ToolDurability>> = Object.freeze({
  read: "replayable",
  readfile: "replayable",
  view: "replayable",
  viewfile: "replayable",
  cat: "replayable",
  openfile: "replayable",

  ls: "ephemeral",
  list: "ephemeral",
  listdir: "ephemeral",
  listdirectory: "ephemeral",
  listfiles: "ephemeral",
  glob: "ephemeral",
  find: "ephemeral",
  findfile: "ephemeral",
  grep: "ephemeral",
  search: "ephemeral",
  searchfile: "ephemeral",
  searchdir: "ephemeral",
  searchfiles: "ephemeral",
  codebasesearch: "ephemeral",
  sequentialthinking: "ephemeral",
  think: "ephemeral",
  todowrite: "ephemeral",
  todoread: "ephemeral",
  ...Object.fromEntries(RETRIEVAL_TOOLS.map((name) => [name, "ephemeral" as const])),

  write: "anchoring",
  writefile: "anchoring",
  edit: "anchoring",
  editfile: "anchoring",
  multiedit: "anchoring",
  applypatch: "anchoring",
  strreplaceeditor: "anchoring",
  strreplacebasededittool: "anchoring",
  bash: "anchoring",
  shell: "anchoring",
  exec: "anchoring",
  execcommand: "anchoring",
  execute: "anchoring",
  executebash: "anchoring",
  runcommand: "anchoring",
  terminal: "anchoring",

  websearch: "non_replayable",
  webfetch: "non_replayable",
  fetch: "non_replayable",
  http: "non_replayable",
  httprequest: "non_replayable",
  browser: "non_replayable",
});
