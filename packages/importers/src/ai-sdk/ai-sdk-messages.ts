import { type ForeignObject, listOf, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import type { SourcePointer } from "../source-pointer.ts";

/** Messages of the AI SDK as programs store them. */
export interface FoundAiSdkMessages {
  readonly messages: readonly { readonly value: unknown; readonly at: SourcePointer }[];
  /** The object around the messages; empty when they stand alone. */
  readonly frame: ForeignObject;
}

const NO_FRAME: ForeignObject = Object.freeze({});
const ROLES = new Set(["system", "user", "assistant", "tool"]);

/** Finds the messages: a list, an object with one, or one message a line. */
export function findAiSdkMessages({ records }: SourceRecords): FoundAiSdkMessages | undefined {
  const [first] = records;
  if (first === undefined) return undefined;
  const list = listIn(first.value);
  if (records.length === 1 && list !== undefined) {
    const at = (index: number) => ({ line: first.line, path: `${list.path}/${index}` });
    return { messages: list.values.map((value, index) => ({ value, at: at(index) })), frame: list.frame };
  }
  if (!records.some(({ value }) => isAiSdkMessage(value))) return undefined;
  return { messages: records.map(({ value, line }) => ({ value, at: { line } })), frame: NO_FRAME };
}

function listIn(
  value: unknown,
): { readonly values: readonly unknown[]; readonly frame: ForeignObject; readonly path: string } | undefined {
  const bare = listOf(value);
  if (bare !== undefined) return { values: bare, frame: NO_FRAME, path: "" };
  const frame = objectOf(value);
  const values = listOf(frame?.messages);
  return frame === undefined || values === undefined ? undefined : { values, frame, path: "/messages" };
}

/** Says whether a value has the form of a message for the model or for the screen. */
export function isAiSdkMessage(value: unknown): boolean {
  const message = objectOf(value);
  return message !== undefined && ROLES.has(textOf(message.role) ?? "") && (isUi(message) || hasContent(message));
}

/** A message for the screen: its parts are named, which tells it from those of other providers. */
export function isUi({ parts }: ForeignObject): boolean {
  const list = listOf(parts);
  return list?.every((part) => textOf(objectOf(part)?.type) !== undefined) === true;
}

const hasContent = ({ content }: ForeignObject): boolean =>
  typeof content === "string" || listOf(content) !== undefined;

/** Kinds of parts that messages of the AI SDK have. */
const KINDS = new Set([
  ...["text", "reasoning", "image", "file", "custom", "tool-call", "tool-result"],
  ...["tool-approval-request", "tool-approval-response"],
]);

/** Says whether a message may be one of the AI SDK: it has no part that another API alone has. */
export function mayBeAiSdk(value: unknown): boolean {
  if (!isAiSdkMessage(value)) return false;
  const parts = listOf(objectOf(value)?.parts) ?? listOf(objectOf(value)?.content) ?? [];
  return parts.every((part) => {
    const type = textOf(objectOf(part)?.type) ?? "";
    return KINDS.has(type) || type.startsWith("data-") || type.startsWith("tool-");
  });
}

/** Says whether a message shows that it is the AI SDK's: a kind of part that no provider's own API has. */
export function isUnmistakable(value: unknown): boolean {
  const message = objectOf(value);
  if (message === undefined || !isAiSdkMessage(message)) return false;
  if (listOf(message.parts) !== undefined) return isUi(message) && message.content === undefined;
  return (listOf(message.content) ?? []).some((part) =>
    /^tool-(?:call|result)$/.test(textOf(objectOf(part)?.type) ?? ""),
  );
}
