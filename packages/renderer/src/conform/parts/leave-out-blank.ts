import type { TextPart, ToolResultPart } from "@threadfold/core";
import { derivation } from "../../neutral/derivation.ts";
import { isBlank } from "../../neutral/is-blank.ts";
import type { PartRepair } from "./part-repair.ts";

/** Leaves out blank texts (W11). */
export const leaveOutBlank: PartRepair<TextPart> = {
  name: "leave-out-blank",
  apply(part, { draft }, { warnings }) {
    if (!isBlank(part.text)) return part;
    warnings.add("blank-text-left-out", draft.chat.sources);
    return null;
  },
};

/** Leaves out blank blocks of a result. A result without a body stays a result. */
export const leaveOutBlankInResult: PartRepair<ToolResultPart> = {
  name: "leave-out-blank-in-result",
  apply(part, { draft }, { warnings }) {
    const { content } = part.result;
    if (content.type !== "blocks" || !content.blocks.some((block) => block.type === "text" && isBlank(block.text)))
      return part;
    warnings.add("blank-text-left-out", draft.chat.sources);
    return withoutBlank(part, null);
  },
};

const withoutBlank = derivation((part: ToolResultPart, _key: null): ToolResultPart => {
  const { content } = part.result;
  if (content.type !== "blocks") return part;
  const blocks = content.blocks.filter((block) => block.type !== "text" || !isBlank(block.text));
  return { ...part, result: { ...part.result, content: { ...content, blocks } } };
});
