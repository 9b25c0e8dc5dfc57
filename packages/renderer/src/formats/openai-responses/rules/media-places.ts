import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asList, isPlainObject } from "../../../legality/plain-object.ts";
import type { ResponsesView } from "../responses-view.ts";

const MEDIA: readonly unknown[] = ["input_image", "input_file", "input_audio"];

export const mediaPlaces: LegalityRule<ResponsesView> = {
  id: "media-places",
  description: "Pictures and documents stand in what goes in: not in messages of the assistant.",
  reference: "Images/docs",
  find: ({ items }) =>
    items.flatMap(({ item: { role, content }, kind, index }) =>
      kind !== "message" || role !== "assistant"
        ? []
        : asList(content).flatMap((part, place) =>
            isPlainObject(part) && MEDIA.includes(part.type)
              ? [{ place: at(index, place), problem: "an assistant message holds media" }]
              : [],
          ),
    ),
};
