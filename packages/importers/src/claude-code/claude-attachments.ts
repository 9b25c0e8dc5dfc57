import type { Part } from "@threadfold/core";
import { type ForeignObject, listOf, nonEmptyText, objectOf, objectsOf, textOf } from "../reading/foreign-value.ts";

type ReadAttachment = (attachment: ForeignObject) => readonly Part[] | undefined;

/** Attachments whose text is in one of {@link TEXTS}. */
const WITH_TEXT = [
  ...["directory", "edited_text_file", "selected_lines_in_ide", "nested_memory", "plan_file_reference"],
  ...["hook_additional_context", "hook_stopped_continuation", "skill_listing", "mcp_instructions_delta"],
  ...["critical_system_reminder", "deferred_tools_delta", "agent_listing_delta", "mcp_dropped_tools_delta"],
  ...["memory_update"],
];

/** Attachments that only name a file. */
const WITH_NAME = ["opened_file_in_ide", "compact_file_reference", "pdf_reference"];

/** Attachments that no model is sent, and those for which Claude Code has fixed words: modes, dates, budgets. */
const WITHOUT_WORDS = [
  ...["already_read_file", "command_permissions", "dynamic_skill", "edited_image_file", "structured_output"],
  ...["hook_cancelled", "hook_error_during_execution", "hook_non_blocking_error", "hook_permission_decision"],
  ...["hook_system_message", "attention_budget", "context_efficiency", "context_tip", "fold_nudge"],
  ...["autocheckpointing", "background_task_status", "task_progress", "todo", "ultramemory", "companion_intro"],
  ...["compaction_reminder", "current_session_memory", "thinking_reminder", "verify_plan_reminder"],
  ...["pen_mode_enter", "pen_mode_exit", "ultrawork_request", "echo_activities"],
  ...["plan_mode", "plan_mode_reentry", "plan_mode_exit", "auto_mode", "auto_mode_exit", "output_style"],
  ...["agent_mention", "date_change", "ultrathink_effort", "token_usage", "budget_usd", "output_token_usage"],
  ...["team_context", "tool_search_usage_reminder"],
];

/** The reader for each type. A map rather than an object, because the type comes from the log. */
const READERS: ReadonlyMap<unknown, ReadAttachment> = new Map<string, ReadAttachment>([
  ...WITH_TEXT.map((type) => [type, readText] as const),
  ...WITH_NAME.map((type) => [type, (attachment: ForeignObject) => textParts(nameOf(attachment))] as const),
  ...WITHOUT_WORDS.map((type) => [type, () => []] as const),
  ["file", readFile],
  ["invoked_skills", ({ skills }) => objectsOf(skills).flatMap(readNamed)],
  ["relevant_memories", ({ memories }) => objectsOf(memories).flatMap(readNamed)],
  ["teammate_mailbox", ({ messages }) => objectsOf(messages).flatMap(readNamed)],
  ["todo_reminder", readTasks],
  ["task_reminder", readTasks],
  ["task_status", readTaskStatus],
  ["diagnostics", ({ files }) => objectsOf(files).flatMap(readDiagnostics)],
  ["mcp_resource", readResource],
  ["hook_success", readHook],
  ["hook_blocking_error", ({ blockingError }) => textParts(textOf(objectOf(blockingError)?.blockingError))],
  ["async_hook_response", readHookResponse],
]);

/**
 * Reads what Claude Code attaches to a conversation as what it is about: the words around it are made anew for each
 * request. Returns nothing for an attachment without anything for the model, and undefined for one that cannot be read.
 */
export const attachedParts = (attachment: ForeignObject): readonly Part[] | undefined =>
  READERS.get(attachment.type)?.(attachment);

/** The fields that name what is attached, and those with its text. */
const NAMES = ["filename", "path", "planFilePath", "header", "from"];
const TEXTS = [
  "content",
  "snippet",
  "planContent",
  "addedBlocks",
  "addedLines",
  "addedEntries",
  "summary",
  "message",
  "text",
];

const nameOf = (attachment: ForeignObject): string | undefined =>
  NAMES.map((field) => nonEmptyText(attachment[field])).find((text) => text !== undefined);

function readText(attachment: ForeignObject): readonly Part[] | undefined {
  const field = TEXTS.find((each) => attachment[each] !== undefined);
  return field === undefined ? undefined : named(attachment, shownText(attachment[field]));
}

const readNamed = (attachment: ForeignObject): readonly Part[] => readText(attachment) ?? [];

function named(attachment: ForeignObject, text: string): readonly Part[] {
  const name = nameOf(attachment);
  return text === "" || name === undefined ? textParts(text) : textParts(`${name}\n\n${text}`);
}

const textParts = (text: string | undefined): readonly Part[] =>
  text === undefined || text === "" ? [] : [{ type: "text", text }];

/** How deep the text of an attachment may be. */
const DEEPEST = 4;

function shownText(value: unknown, depth = 0): string {
  if (typeof value === "string" || depth > DEEPEST) return textOf(value) ?? "";
  const fields = objectOf(value);
  if (fields !== undefined) return shownText(fields.content ?? fields.file ?? fields.text, depth + 1);
  return (listOf(value) ?? []).map((entry) => shownText(entry, depth + 1)).join("\n");
}

/** Reads a file as the tool returned it that Claude Code read it with: text, cells of a notebook, or bytes. */
function readFile(attachment: ForeignObject): readonly Part[] | undefined {
  const content = objectOf(attachment.content);
  const file = objectOf(content?.file) ?? {};
  const data = nonEmptyText(file.base64);
  switch (content?.type) {
    case "image": {
      const mediaType = nonEmptyText(file.type);
      if (data === undefined || mediaType === undefined) return undefined;
      return [...textParts(nameOf(attachment)), { type: "image", source: { kind: "base64", mediaType, data } }];
    }
    case "pdf": {
      const source = { kind: "base64", mediaType: "application/pdf", data: data ?? "" } as const;
      return [...textParts(nameOf(attachment)), ...(data === undefined ? [] : [{ type: "file" as const, source }])];
    }
    case "notebook":
      return named(attachment, objectsOf(file.cells).map(cellText).join("\n\n"));
    default:
      return readText(attachment);
  }
}

function cellText({ source, outputs }: ForeignObject): string {
  const printed = objectsOf(outputs).map(({ text }) => shownText(text));
  return [shownText(source), ...printed].filter((text) => text !== "").join("\n");
}

function readTasks({ content }: ForeignObject): readonly Part[] {
  const tasks = objectsOf(content).map(
    ({ status, subject, content: words }) => `[${textOf(status)}] ${textOf(subject ?? words)}`,
  );
  return textParts(tasks.join("\n"));
}

function readTaskStatus({ description, taskId, status, deltaSummary }: ForeignObject): readonly Part[] {
  const told = [`[${textOf(status)}]`, nonEmptyText(deltaSummary)].filter((text) => text !== undefined);
  return textParts(`${textOf(description ?? taskId)}\n\n${told.join(" ")}`);
}

function readDiagnostics({ uri, diagnostics }: ForeignObject): readonly Part[] {
  const found = objectsOf(diagnostics).map(({ severity, message, range }) => {
    const line = objectOf(objectOf(range)?.start)?.line;
    const place = typeof line === "number" ? `${line + 1}: ` : "";
    return `${place}[${textOf(severity)}] ${textOf(message)}`;
  });
  return found.length === 0 ? [] : textParts([textOf(uri), ...found].join("\n"));
}

/** A model is sent the texts of a resource, and of bytes only that they are there. */
function readResource({ uri, content }: ForeignObject): readonly Part[] {
  const texts = objectsOf(objectOf(content)?.contents).flatMap(({ text }) => nonEmptyText(text) ?? []);
  return textParts([textOf(uri) ?? "", ...texts].join("\n\n"));
}

/** What a hook prints is sent when a session or a turn begins. */
const OPENING_EVENTS: ReadonlySet<unknown> = new Set(["SessionStart", "UserPromptSubmit", "UserPromptExpansion"]);

function readHook({ hookEvent, content }: ForeignObject): readonly Part[] {
  return OPENING_EVENTS.has(hookEvent) ? textParts(textOf(content)) : [];
}

function readHookResponse({ response }: ForeignObject): readonly Part[] {
  const { systemMessage, hookSpecificOutput } = objectOf(response) ?? {};
  return [systemMessage, objectOf(hookSpecificOutput)?.additionalContext].flatMap((text) => textParts(textOf(text)));
}
