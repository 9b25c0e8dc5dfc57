import type { AgentInputItem } from "@openai/agents";
import type { JsonObject, JsonValue } from "@threadfold/core";

type Fields = Readonly<Record<string, unknown>>;

/**
 * An item of the Agents SDK as the Responses API has it on the wire, for the live reader of that format. Items of tools
 * that the reader has no part for, such as a shell or a computer, stay as they are and travel whole. Ids are left out: the
 * SDK has them on an item at one time and not at another, and what is sent unchanged is the host's own item.
 */
export function liveItem(item: AgentInputItem): JsonObject {
  const fields = item as Fields;
  switch (fields["type"] ?? "message") {
    case "message":
      return { type: "message", role: `${fields["role"]}`, content: liveContent(fields["content"]) };
    case "function_call":
      return {
        type: "function_call",
        call_id: `${fields["callId"]}`,
        name: `${fields["name"]}`,
        arguments: `${fields["arguments"]}`,
      };
    case "function_call_result":
      return {
        type: "function_call_output",
        call_id: `${fields["callId"]}`,
        name: `${fields["name"]}`,
        output: liveOutput(fields["output"]),
      };
    case "reasoning":
      return liveReasoning(fields);
    default:
      return fields as JsonObject;
  }
}

const liveContent = (content: unknown): JsonValue =>
  Array.isArray(content) ? content.map(livePart) : `${content ?? ""}`;

function livePart(part: Fields): JsonValue {
  switch (part["type"]) {
    case "input_image":
      return { type: "input_image", ...placeOf(part["image"], "image_url"), ...detailOf(part) };
    case "input_file":
      return { type: "input_file", ...placeOf(part["file"], "file_url"), ...nameOf(part) };
    case "input_text":
    case "output_text":
      return { type: part["type"], text: `${part["text"]}` };
    default:
      return part as JsonObject;
  }
}

/** Where the bytes are: an uploaded file, an address, or the bytes themselves. */
function placeOf(place: unknown, field: "image_url" | "file_url"): JsonObject {
  if (typeof place !== "string") {
    const { id, url } = (place ?? {}) as Fields;
    return typeof id === "string" ? { file_id: id } : typeof url === "string" ? { [field]: url } : {};
  }
  const isFileData = field === "file_url" && !/^https?:/.test(place);
  return { [isFileData ? "file_data" : field]: place };
}

const detailOf = ({ detail }: Fields): JsonObject => (typeof detail === "string" ? { detail } : {});
const nameOf = ({ filename }: Fields): JsonObject => (typeof filename === "string" ? { filename } : {});

/** A text, a list of content, or one piece in the form that older versions of the SDK write. */
function liveOutput(output: unknown): JsonValue {
  if (Array.isArray(output)) return output.map(livePart);
  const { type, text } = (output ?? {}) as Fields;
  return type === "text" ? `${text}` : (output as JsonValue);
}

function liveReasoning(fields: Fields): JsonObject {
  const data = (fields["providerData"] ?? {}) as Fields;
  const encrypted = data["encryptedContent"] ?? data["encrypted_content"];
  const summary = ((fields["content"] ?? []) as readonly Fields[]).map(({ text }) => ({
    type: "summary_text",
    text: `${text}`,
  }));
  const proof = typeof encrypted === "string" ? { encrypted_content: encrypted } : {};
  return { type: "reasoning", summary, ...proof };
}
