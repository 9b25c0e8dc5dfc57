import type { Assignment, NormalizationChange, NormalizationRule } from "../normalization.ts";

/** A provider's opaque item travels byte for byte or not at all: it may be dropped, and never rewritten. */
export const keepOpaque: NormalizationRule = {
  name: "keep-opaque",
  apply({ claims, owner, shape }: Assignment): readonly NormalizationChange[] {
    const changes: NormalizationChange[] = [];
    for (const [ordinal, index] of owner) {
      if (!shape.header(ordinal).opaque || claims[index]?.record.action === "drop") continue;
      const released = shape.groupOf(ordinal).ordinals.filter((member) => owner.delete(member));
      changes.push({
        rule: "keep-opaque",
        problem: "an opaque provider item cannot be rewritten; its group is included",
        messageIds: released.map((member) => shape.header(member).id),
      });
    }
    return changes;
  },
};
