import type { Part, ToolOutcomeStatus } from "@threadfold/core";
import { countOf, type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";

/** The text of an observation as the model reads it: what ran, and how the log says that it ended. */
export function observationText(event: ForeignObject): string {
  const content = textOf(event.content) ?? "";
  const metadata = objectOf(objectOf(event.extras)?.metadata);
  return `${textOf(metadata?.prefix) ?? ""}${content}${textOf(metadata?.suffix) ?? ""}`;
}

/** An error is a failure, and so is a command with an exit code; -1 stands for one that is still running. */
export function outcomeOf(event: ForeignObject): ToolOutcomeStatus {
  const exitCode = objectOf(objectOf(event.extras)?.metadata)?.exit_code;
  if (event.observation === "error" || event.observation === "user_rejected") return "failure";
  if (exitCode === -1) return "partial";
  return event.success === false || (countOf(exitCode) ?? 0) > 0 ? "failure" : "success";
}

/** What a recall brought up: knowledge of the repository and of micro-agents, each a text of its own. */
export function recalledParts(event: ForeignObject): readonly Part[] {
  const extras = objectOf(event.extras);
  const knowledge = (listOf(extras?.microagent_knowledge) ?? []).map((entry) => objectOf(entry)?.content);
  const texts = [event.content, extras?.repo_instructions, extras?.additional_agent_instructions, ...knowledge];
  return texts.flatMap((text): readonly Part[] => {
    const own = nonEmptyText(text);
    return own === undefined ? [] : [{ type: "text", text: own }];
  });
}

/** Text of a message with the pictures that came with it. */
export function messageParts({ args }: ForeignObject): readonly Part[] {
  const fields = objectOf(args);
  const images = (listOf(fields?.image_urls) ?? []).flatMap((url): readonly Part[] => {
    const own = nonEmptyText(url);
    return own === undefined ? [] : [{ type: "image", source: { kind: "url", url: own } }];
  });
  return [{ type: "text", text: textOf(fields?.content) ?? "" }, ...images];
}
