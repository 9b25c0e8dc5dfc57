import type { SummarizeRequest } from "@threadfold/core";
import { InstructionWords } from "../text/instruction-words.ts";
import type { Candidate } from "./candidate.ts";
import { itemLine } from "./item-text.ts";

/** What was asked for is sure of its place in so much of a summary, the best first. */
const SURE_SHARE = 0.5;
/** Above every worth that collectors give. */
const ASKED_FOR = 10_000;
/** How much likelier a name is needed in whose line something stands that was asked for. */
const NAMED_TOGETHER = 4;

/** Candidates, with what the instructions of the fold ask for before all others of its section. */
export function instructed(
  candidates: readonly Candidate[],
  { instructions, maxTokens, countTokens }: SummarizeRequest,
): readonly Candidate[] {
  const words = new InstructionWords(instructions);
  if (!words.areGiven) return candidates;
  const lines = candidates.map(({ section, item }) => itemLine(section, item, ""));
  const shares = words.sharesIn(lines);
  const scores = candidates.map(({ section }, index) =>
    Math.max(shares[index] as number, section !== "identifiers" && words.names(section) ? 1 : 0),
  );
  const sure = new Set<number>();
  let room = maxTokens * SURE_SHARE;
  const worth = (index: number): number => (scores[index] as number) * ASKED_FOR + (candidates[index]?.worth ?? 0);
  for (const index of [...scores.keys()].sort((a, b) => worth(b) - worth(a))) {
    if (scores[index] === 0) break;
    room -= countTokens(lines[index] as string);
    if (room < 0) break;
    sure.add(index);
  }
  return candidates.map((candidate, index) =>
    scores[index] === 0 ? candidate : preferred(candidate, scores[index] as number, sure.has(index)),
  );
}

function preferred(candidate: Candidate, score: number, sure: boolean): Candidate {
  const names = new Map([...(candidate.names ?? [])].map(([name, odds]) => [name, odds * NAMED_TOGETHER]));
  return {
    ...candidate,
    worth: candidate.worth + score * ASKED_FOR,
    ...(sure && { sure }),
    ...(candidate.names !== undefined && { names }),
  };
}
