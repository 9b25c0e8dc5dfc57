import type { Assignment, NormalizationChange, NormalizationRule } from "../normalization.ts";

/** System messages are instructions, not history: no record may hold one. */
export const keepSystem: NormalizationRule = {
  name: "keep-system",
  apply(assignment: Assignment): readonly NormalizationChange[] {
    const released = [...assignment.owner.keys()].filter(
      (ordinal) => assignment.shape.header(ordinal).role === "system",
    );
    for (const ordinal of released) assignment.owner.delete(ordinal);
    return released.map((ordinal) => ({
      rule: "keep-system",
      problem: "a system message cannot be folded; it is included",
      messageIds: [assignment.shape.header(ordinal).id],
    }));
  },
};
