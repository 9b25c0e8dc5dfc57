import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asList, isPlainObject } from "../../../legality/plain-object.ts";
import type { OpenAIChatView } from "../openai-chat-view.ts";

const MEDIA: readonly unknown[] = ["image_url", "file", "input_audio"];

export const mediaPlaces: LegalityRule<OpenAIChatView> = {
  id: "media-places",
  description: "Pictures and documents stand in user messages only.",
  reference: "Images/docs",
  find: ({ messages }) =>
    messages.flatMap(({ role, content }, index) =>
      role === "user"
        ? []
        : asList(content).flatMap((part, place) =>
            isPlainObject(part) && MEDIA.includes(part.type)
              ? [{ place: at(index, place), problem: `a ${role} message holds media` }]
              : [],
          ),
    ),
};
