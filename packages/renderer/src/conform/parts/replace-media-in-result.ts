import type { MediaPart, TextPart, ToolResultPart } from "@threadfold/core";
import { derivation } from "../../neutral/derivation.ts";
import type { FormatRequirements } from "../format-requirements.ts";
import { leftOutMarker, type MediaReason, reasonAgainstMedia } from "./accepted-media.ts";
import type { PartRepair } from "./part-repair.ts";

/** Puts a text marker where the format takes no picture or document in a result, which keeps its id and outcome. */
export const replaceMediaInResult: PartRepair<ToolResultPart> = {
  name: "replace-media-in-result",
  apply(part, { draft }, { requirements, warnings }) {
    const { content } = part.result;
    if (content.type !== "blocks") return part;
    const reasons = content.blocks.flatMap((block) => reasonAgainst(block, requirements) ?? []);
    for (const reason of reasons) warnings.leaveOut("media-replaced", reason, draft.chat.sources);
    return reasons.length === 0 ? part : withMarkers(part, requirements);
  },
};

function reasonAgainst(block: TextPart | MediaPart, requirements: FormatRequirements): MediaReason | undefined {
  if (block.type === "text") return undefined;
  return requirements.mediaInResults ? reasonAgainstMedia(block, requirements[block.type]) : "in-tool-result";
}

const withMarkers = derivation((part: ToolResultPart, requirements: FormatRequirements): ToolResultPart => {
  const { content } = part.result;
  if (content.type !== "blocks") return part;
  const blocks = content.blocks.map((block) =>
    block.type === "text" || reasonAgainst(block, requirements) === undefined ? block : leftOutMarker(block, null),
  );
  return { ...part, result: { ...part.result, content: { type: "blocks", blocks } } };
});
