import { asMessageId, type MessageId, type MessageOrigin, type Part, type Role, type Usage } from "@threadfold/core";
import { type ForeignObject, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import type { ImportedCompaction } from "../session/imported-session.ts";
import type { DraftMessage, SessionDraft } from "../session/session-draft.ts";
import { opaquePart } from "../session/shared-readers.ts";
import { itemMetadata, responseCall, responseParts, responseReasoning, responseResult } from "./response-parts.ts";

/** The position of an item, and the id for a message that begins with it. */
export interface ItemPlace {
  readonly at: SourcePointer;
  readonly id: string;
  readonly time?: unknown;
}

/** The data of a compaction before its message has its final id. */
export type CompactionNotes = Omit<ImportedCompaction, "messageId">;

/** What is held back, and the branch that it was left on, if any. */
type Pending = PendingMessage | { readonly kind: "response"; readonly response: ResponseTurn; branch?: string };

interface PendingMessage {
  readonly kind: "message";
  readonly message: DraftMessage;
  readonly compaction?: CompactionNotes;
  branch?: string;
}

const CALLS = new Set(["function_call", "custom_tool_call", "local_shell_call", "tool_call"]);
const RESULTS = new Set([
  ...["function_call_output", "custom_tool_call_output", "local_shell_call_output"],
  ...["tool_result", "function_result"],
]);

/**
 * Item types with which a host answers a model's request, or adds to it. Shell output is not among them: a shell may
 * also run at the provider, whose response then contains the output.
 */
const HOST_ANSWERS = new Set([
  ...["computer_call_output", "apply_patch_call_output", "mcp_approval_response", "additional_tools"],
]);

/** A search that the provider ran itself names no call. */
const isOfHost = ({ type, call_id: callId }: ForeignObject): boolean =>
  HOST_ANSWERS.has(textOf(type) ?? "") || (type === "tool_search_output" && textOf(callId) !== undefined);

/**
 * Reads items of the OpenAI Responses API in order. Items from one model call (reasoning, text, calls, items of tools
 * that run at the provider) become one assistant message. Messages are held back until the end, because the usage of a
 * call may be reported after its results.
 */
export class ResponseTranscript {
  /** Name of the model that is called from this point on. */
  model: string | undefined;
  readonly #draft: SessionDraft;
  readonly #isHarness: (text: string) => boolean;
  readonly #pending: Pending[] = [];
  #open: ResponseTurn | undefined;
  /** The newest response without reported usage. */
  #unmeasured: ResponseTurn | undefined;

  /** @param isHarness checks whether a text in a user message comes from the harness rather than from a person. */
  constructor(draft: SessionDraft, isHarness: (text: string) => boolean = () => false) {
    this.#draft = draft;
    this.#isHarness = isHarness;
  }

  read(item: ForeignObject, place: ItemPlace): void {
    const type = textOf(item.type) ?? "message";
    if (type === "message") this.#readMessage(item, place);
    else if (type === "reasoning") this.#extend([responseReasoning(item)], place);
    else if (CALLS.has(type)) this.#extend([responseCall(item, this.#draft, place.at)], place);
    else if (RESULTS.has(type)) this.add("tool", [responseResult(item, this.#draft, place.at)], place);
    else if (type === "agent_message") this.add("user", responseParts(item.content), place, "harness");
    else this.#readOther(item, place);
  }

  /** A host's answer in an item is not part of a response, nor a result that core can represent. */
  #readOther(item: ForeignObject, place: ItemPlace): void {
    const parts = [opaquePart("openai", item)];
    if (isOfHost(item)) this.add("user", parts, place, "harness");
    else this.#extend(parts, place);
  }

  /**
   * Adds a message that the model did not write. Responses before it are then complete.
   *
   * @param spoken which of the two roles a system message has.
   */
  add(
    role: Role,
    parts: readonly Part[],
    place: ItemPlace,
    origin?: MessageOrigin,
    spoken?: "system" | "developer",
  ): void {
    this.close();
    this.#pending.push({ kind: "message", message: toMessage(role, parts, place, origin, spoken) });
  }

  addCompaction(parts: readonly Part[], place: ItemPlace, compaction: CompactionNotes): void {
    this.close();
    this.#unmeasured = undefined;
    this.#pending.push({ kind: "message", message: toMessage("user", parts, place, "compaction"), compaction });
  }

  /**
   * Sets the usage of the newest response. A report for a response that already has one belongs to another call and is
   * ignored.
   */
  measure(usage: Usage): void {
    if (this.#unmeasured !== undefined) this.#unmeasured.usage = usage;
    this.#unmeasured = undefined;
    this.close();
  }

  /** Ends the current response: items that follow belong to another one. */
  close(): void {
    this.#open = undefined;
  }

  /**
   * Puts the newest turns, which the user took back, on a branch: at most those since a compaction, because what came
   * before it was no longer sent.
   */
  rollBack(turns: number): void {
    this.close();
    this.#unmeasured = undefined;
    const compacted = this.#pending.findLastIndex((pending) => pending.kind === "message" && pending.compaction);
    const begun = this.#pending.slice(compacted + 1).filter(beginsTurn);
    const [first] = turns < 1 ? [] : begun.slice(-turns);
    if (first === undefined) return;
    const branch = `abandoned/${first.message.id}`;
    for (const pending of this.#pending.slice(this.#pending.indexOf(first))) pending.branch ??= branch;
  }

  /** Returns the newest message with each content so far, keyed by {@link contentKey}. */
  idsByContent(): ReadonlyMap<string, MessageId> {
    const ids = new Map<string, MessageId>();
    for (const pending of this.#pending) {
      const { id, parts } = pending.kind === "message" ? pending.message : pending.response.toMessage();
      const key = contentKey(parts);
      if (key !== undefined) ids.set(key, asMessageId(id));
    }
    return ids;
  }

  finish(): void {
    for (const pending of this.#pending) {
      const isResponse = pending.kind === "response";
      const message = isResponse ? pending.response.toMessage() : pending.message;
      const messageId = this.#draft.add(
        pending.branch === undefined ? message : { ...message, branch: pending.branch },
      );
      if (isResponse && pending.response.isCompaction) this.#draft.compactions.push({ messageId, trigger: "server" });
      if (!isResponse && pending.compaction) this.#draft.compactions.push({ messageId, ...pending.compaction });
    }
  }

  #readMessage(item: ForeignObject, place: ItemPlace): void {
    const parts = responseParts(item.content ?? item.message);
    if (item.role === "assistant") this.#extend(withItem(parts, item), place);
    else if (item.role === "user") this.add("user", parts, place, this.#originOf(parts));
    else if (item.role === "system" || item.role === "developer")
      this.add("system", parts, place, undefined, item.role);
    else this.#draft.reportMalformed(place.at, "it is a message without a known role");
  }

  #originOf(parts: readonly Part[]): MessageOrigin | undefined {
    const isHarness = parts.length > 0 && parts.every((part) => part.type === "text" && this.#isHarness(part.text));
    return isHarness ? "harness" : undefined;
  }

  #extend(parts: readonly Part[], { at, id, time }: ItemPlace): void {
    if (this.#open === undefined) {
      this.#open = new ResponseTurn(id, time, this.model);
      this.#unmeasured = this.#open;
      this.#pending.push({ kind: "response", response: this.#open });
    }
    this.#open.add(parts, at);
  }
}

/**
 * Returns a key that is equal for equal text and media, ignoring provider metadata; undefined for other kinds of parts.
 */
export function contentKey(parts: readonly Part[]): string | undefined {
  const keys: string[] = [];
  for (const part of parts) {
    if (part.type === "text") keys.push(part.text);
    else if (part.type === "image" || part.type === "file") keys.push(JSON.stringify(part.source));
    else return undefined;
  }
  return keys.join("\u0000");
}

/** Checks for a message with which the user began a turn that was not taken back. */
const beginsTurn = (pending: Pending): pending is PendingMessage =>
  pending.kind === "message" &&
  pending.message.role === "user" &&
  pending.message.origin === undefined &&
  pending.branch === undefined;

/** The id of a message item is stored with the first of its texts. */
function withItem(parts: readonly Part[], item: ForeignObject): readonly Part[] {
  const { providerMetadata } = itemMetadata(item, ["type", "role", "content", "message", "status"]);
  const [first, ...rest] = parts;
  if (first?.type !== "text" || providerMetadata === undefined) return parts;
  const openai = { ...first.providerMetadata?.openai, ...providerMetadata.openai };
  return [{ ...first, providerMetadata: { ...first.providerMetadata, openai } }, ...rest];
}

function toMessage(
  role: Role,
  parts: readonly Part[],
  { at, id, time }: ItemPlace,
  origin: MessageOrigin | undefined,
  spoken?: "system" | "developer",
): DraftMessage {
  const providerMetadata = spoken && { openai: { role: spoken } };
  return {
    id,
    role,
    parts,
    time,
    source: at,
    ...(origin && { origin }),
    ...(providerMetadata && { providerMetadata }),
  };
}

/** The items from one model call, which become one assistant message. */
class ResponseTurn {
  readonly parts: Part[] = [];
  usage: Usage | undefined;
  readonly #id: string;
  readonly #time: unknown;
  readonly #model: string | undefined;
  readonly #places: SourcePointer[] = [];

  constructor(id: string, time: unknown, model: string | undefined) {
    this.#id = id;
    this.#time = time;
    this.#model = model;
  }

  add(parts: readonly Part[], at: SourcePointer): void {
    this.parts.push(...parts);
    this.#places.push(at);
  }

  /** True when the response contains a compaction that ran at the provider. */
  get isCompaction(): boolean {
    return this.parts.some(
      (part) => part.type === "opaque" && COMPACTIONS.has((part.value as { readonly type?: unknown } | null)?.type),
    );
  }

  toMessage(): DraftMessage {
    const [source = { line: 0 }, ...more] = this.#places;
    return {
      id: this.#id,
      role: "assistant",
      parts: this.parts,
      time: this.#time,
      source,
      ...(this.#model !== undefined && { model: this.#model }),
      ...(this.usage && { usage: this.usage }),
      ...(more.length > 0 && placesOf(this.#places)),
    };
  }
}

/** Item types with which the Responses API returns a compacted history. */
const COMPACTIONS: ReadonlySet<unknown> = new Set(["compaction", "compaction_summary", "context_compaction"]);

function placesOf(places: readonly SourcePointer[]): Pick<DraftMessage, "sourceLines" | "sourcePaths"> {
  return places[0]?.path === undefined
    ? { sourceLines: places.map(({ line }) => line) }
    : { sourcePaths: places.map(({ path = "" }) => path) };
}
