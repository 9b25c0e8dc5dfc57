import { type ForeignObject, listOf, objectOf, textOf } from "../reading/foreign-value.ts";

/**
 * A message of Cline in the words of the Anthropic API: files that the user named become the text that the model
 * reads, and a result whose every entry says that it failed is marked as failed.
 */
export function clineMessage(value: unknown): unknown {
  const message = objectOf(value);
  const content = listOf(message?.content);
  return message === undefined || content === undefined ? value : { ...message, content: content.map(clineBlock) };
}

function clineBlock(value: unknown): unknown {
  const block = objectOf(value);
  if (block?.type === "file") return fileText(block) ?? value;
  if (block?.type !== "tool_result") return value;
  // The name of the tool stands in the call already.
  const { name: _name, ...result } = block;
  return hasFailed(block) ? { ...result, is_error: true } : result;
}

function fileText({ path, content }: ForeignObject): unknown {
  const text = textOf(content);
  if (text === undefined) return undefined;
  return { type: "text", text: `<file_content path="${textOf(path) ?? ""}">\n${text}\n</file_content>` };
}

function hasFailed({ content }: ForeignObject): boolean {
  const entries = listOf(content) ?? [];
  return entries.length > 0 && entries.every((entry) => objectOf(entry)?.success === false);
}
