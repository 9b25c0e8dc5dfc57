import { objectOf, textOf } from "../reading/foreign-value.ts";
import { blocksOf } from "./anthropic-parts.ts";

/** The system text of an Anthropic request: a string or a list of text blocks. */
export function anthropicSystem(system: unknown): readonly string[] {
  return blocksOf(system).flatMap((block) => {
    const text = textOf(objectOf(block)?.text)?.toWellFormed();
    return text === undefined || text === "" ? [] : [text];
  });
}
