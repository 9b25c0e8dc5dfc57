import type { MessageHeader, NormalizationChange, ThreadShape } from "@threadfold/core";
import type { CompactionProposal } from "@threadfold/strategies";
import type { BodyArchive } from "./body-archive.ts";
import type { ReplayChecks } from "./replay-checks.ts";

/** What one fold may rely on: sources that were looked at, and bodies that are stored. */
export interface FoldGrounds {
  readonly replays: ReplayChecks;
  readonly archive: BodyArchive;
}

/**
 * Does for chosen proposals what has to be sure before they are taken: looks at the sources of replayable results that
 * would be cleared, then stores the bodies that would be externalized. A draft that does not hold is made anew on what is
 * known now; each time something more is known, so that ends.
 *
 * @returns true when the proposals hold.
 * @throws the signal's reason when it fires.
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
  return archive.store(
    proposals.filter(({ action }) => action === "externalize").map(({ ordinals }) => ordinals[0] as number),
  );
}

const emptiesResults = (proposal: CompactionProposal): boolean =>
  proposal.action === "clear" && proposal.keep === undefined && proposal.targets.includes("tool-result");

const isReplayable = (header: MessageHeader): boolean => header.durability === "replayable";

/** What looking at sources changed about a fold, for people. */
export function groundChanges({ replays }: FoldGrounds, shape: ThreadShape): readonly NormalizationChange[] {
  return replays.drifted.map((ordinal) => ({
    rule: "durable-results",
    problem: `its source ${replays.verdictOf(ordinal) === "changed" ? "has changed since" : "could not be verified"}; the result counts as non-replayable and is externalized or kept`,
    messageIds: [shape.header(ordinal).id],
  }));
}
