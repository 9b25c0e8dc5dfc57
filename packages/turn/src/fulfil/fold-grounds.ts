import { EventLoopTurns, type MessageHeader, type NormalizationChange, type ThreadShape } from "@threadfold/core";
import { type CompactionProposal, isRetrieval } from "@threadfold/strategies";
import type { BodyArchive } from "./body-archive.ts";
import { knownOrdinals } from "./fulfilment.ts";
import type { ReplayChecks } from "./replay-checks.ts";

/** What one fold may rely on: sources that were checked, and bodies that are stored. */
export interface FoldGrounds {
  readonly replays: ReplayChecks;
  readonly archive: BodyArchive;
}

/**
 * Ensures the preconditions of the chosen proposals: checks the sources of replayable results that would be cleared,
 * then stores the bodies that would be externalized. If this fails, the draft is made again with what is known now;
 * since each round adds knowledge, that ends.
 *
 * @returns true if the proposals can be carried out.
 * @throws the signal's reason when it is aborted.
 */
export async function settleProposals(
  proposals: readonly CompactionProposal[],
  { replays, archive }: FoldGrounds,
  shape: ThreadShape,
): Promise<boolean> {
  const cleared = proposals
    .filter(emptiesResults)
    .flatMap(({ ordinals }) => ordinals.filter((ordinal) => isReplayable(shape.header(ordinal))));
  if (!(await replays.look(cleared))) return false;
  const externalized = proposals.filter(({ action }) => action === "externalize");
  return archive.store(externalized.map(({ ordinals }) => ordinals[0] as number));
}

/**
 * Stores the bodies of results that cannot be obtained again and that a summary or a drop removes from the prompt. A
 * body that the store refuses remains only in the thread, and is reported like every refusal.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function storeIrreplaceable(
  proposals: readonly CompactionProposal[],
  archive: BodyArchive,
  shape: ThreadShape,
): Promise<void> {
  const leaving = proposals.filter(({ action }) => action === "summarize" || action === "drop");
  const summarized = new Set(
    leaving.flatMap((proposal) =>
      "absorbs" in proposal ? proposal.absorbs.flatMap(({ span }) => knownOrdinals(span, shape)) : [],
    ),
  );
  const turns = new EventLoopTurns();
  const irreplaceable: number[] = [];
  let seen = 0;
  for (const proposal of leaving)
    for (const ordinals of ["gathers" in proposal ? (proposal.gathers ?? []) : [], proposal.ordinals])
      for (const ordinal of ordinals) {
        if (!summarized.has(ordinal) && isIrreplaceable(shape.header(ordinal))) irreplaceable.push(ordinal);
        if (++seen % AT_A_TIME === 0 && turns.isDue) await turns.turn();
      }
  await archive.store(irreplaceable);
}

/** Messages that are processed in one step, in a millisecond or less. */
const AT_A_TIME = 512;

/** Minimum size of a body worth storing, in tokens: a smaller one is hardly longer than a reference to it. */
const LEAST_STORED = 40;

const isIrreplaceable = ({ durability, shares, toolName }: MessageHeader): boolean =>
  durability === "non_replayable" && shares.toolResult > LEAST_STORED && !isRetrieval(toolName);

const emptiesResults = (proposal: CompactionProposal): boolean =>
  proposal.action === "clear" && proposal.keep === undefined && proposal.targets.includes("tool-result");

const isReplayable = (header: MessageHeader): boolean => header.durability === "replayable";

/** Describes, for people, what checking the sources changed about a fold. */
export function groundChanges({ replays }: FoldGrounds, shape: ThreadShape): readonly NormalizationChange[] {
  return replays.drifted.map((ordinal) => ({
    rule: "durable-results",
    problem: `its source ${replays.verdictOf(ordinal) === "changed" ? "has changed since" : "could not be verified"}; the result counts as non-replayable and is externalized or kept`,
    messageIds: [shape.header(ordinal).id],
  }));
}
