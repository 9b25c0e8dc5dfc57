import type { AgentInputItem } from "@openai/agents";
import {
  type ChatMessage,
  type MediaPart,
  type Part,
  type Role,
  type TextPart,
  toolResultText,
} from "@threadfold/core";

type Said = TextPart | MediaPart;

/** A message that rendering made, or changed, as items of the Agents SDK. */
export function agentItems({ role, parts }: ChatMessage): AgentInputItem[] {
  const items: AgentInputItem[] = [];
  let said: Said[] = [];
  const flush = () => {
    if (said.length > 0) items.push(spoken(role, said));
    said = [];
  };
  for (const part of parts) {
    if (isSaid(part)) said.push(part);
    else {
      flush();
      items.push(itemOf(part));
    }
  }
  flush();
  return items;
}

const isSaid = (part: Part): part is Said => part.type === "text" || part.type === "image" || part.type === "file";

function spoken(role: Role, said: readonly Said[]): AgentInputItem {
  const text = said.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  if (role === "system") return { role: "system", content: text };
  if (role === "user") return { role: "user", content: said.map(contentOf) };
  return { role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
}

function contentOf(part: Said) {
  if (part.type === "text") return { type: "input_text" as const, text: part.text };
  const { source, name } = part;
  const place = source.kind === "file-id" ? { id: source.fileId } : addressOf(source);
  if (part.type === "image") return { type: "input_image" as const, image: place };
  return { type: "input_file" as const, file: place, ...(name !== undefined && { filename: name }) };
}

const addressOf = (source: Exclude<MediaPart["source"], { readonly kind: "file-id" }>): string =>
  source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;

function itemOf(part: Exclude<Part, Said>): AgentInputItem {
  switch (part.type) {
    case "tool-call": {
      const { callId, toolName, input, invalidInput } = part;
      const args = invalidInput ?? (typeof input === "string" ? input : JSON.stringify(input));
      return { type: "function_call", callId, name: toolName, arguments: args, status: "completed" };
    }
    case "tool-result": {
      const { callId, toolName, content } = part.result;
      const hasMedia = content.type === "blocks" && content.blocks.some(({ type }) => type !== "text");
      const output = hasMedia ? content.blocks.map(contentOf) : toolResultText(content);
      return { type: "function_call_result", callId, name: toolName, status: "completed", output };
    }
    case "reasoning":
      return {
        type: "reasoning",
        content: part.text === "" ? [] : [{ type: "input_text", text: part.text }],
        ...(part.encrypted !== undefined && { providerData: { encrypted_content: part.encrypted } }),
      };
    case "opaque":
      return part.value as AgentInputItem;
  }
}
