import type { JsonObject, MessageId, MessageOrigin, Part, Role, TextPart } from "@threadfold/core";
import {
  countOf,
  type ForeignObject,
  nonEmptyText,
  objectOf,
  textOf,
  withoutUndefined,
} from "../reading/foreign-value.ts";
import type { ImportedCompaction } from "../session/imported-session.ts";
import type { DraftMessage, SessionDraft } from "../session/session-draft.ts";
import { aroundWords } from "../session/shared-readers.ts";
import {
  answerParts,
  type CopilotEvent,
  type CopilotReferences,
  isTyped,
  readAttachments,
  readCall,
  readResult,
} from "./copilot-events.ts";

/** A message that is held back, because more chunks of its response may follow. */
interface Pending {
  message: DraftMessage;
  readonly compaction?: Omit<ImportedCompaction, "messageId" | "firstKeptMessageId">;
  /** The first message that was still sent beside the summary. */
  readonly firstKept?: Pending | undefined;
}

/** A response of the model, whose chunks have events of their own. */
interface Response {
  readonly pending: Pending;
  readonly parts: Part[];
  readonly lines: number[];
}

/** What a message in the user's place says, and where it comes from. */
interface SentMessage {
  readonly source: string;
  readonly sent: string;
  readonly isTyped: boolean;
}

/** How many notifications and skills are held back at most. */
const MOST_ANNOUNCED = 20;

/** The branch of messages that a host took out of the conversation. */
const CLEARED = "cleared";

/** Reads the events of a session in order. */
export class CopilotTranscript {
  /** Name of the model that is called from this point on. */
  model: string | undefined;
  readonly #draft: SessionDraft;
  readonly #references: CopilotReferences;
  readonly #pending: Pending[] = [];
  /** Responses by the id of their model call. */
  readonly #responses = new Map<string, Response>();
  /** Calls that were executed though no answer asked for them, and those of the user. */
  readonly #executed = new Set<unknown>();
  readonly #byUser = new Map<unknown, ForeignObject>();
  /** Notifications and skills, which a message of the same branch may say again, and the newest such message. */
  #announced: CopilotEvent[] = [];
  #newestSent = "";
  /** Thoughts by branch, which the answer after them may have as well. */
  readonly #thoughts = new Map<string | undefined, CopilotEvent[]>();
  /** How many messages there were when a compaction began. */
  #compactedUpTo: number | undefined;

  constructor(draft: SessionDraft, references: CopilotReferences) {
    this.#draft = draft;
    this.#references = references;
  }

  read(event: CopilotEvent): void {
    this.model = modelNamedBy(event) ?? this.model;
    if (event.isTransient) return this.#skip(event);
    switch (event.type) {
      case "user.message":
        return this.#readUser(event);
      case "assistant.message":
        return this.#readAnswer(event);
      case "assistant.reasoning":
        return this.#readThought(event);
      case "tool.user_requested":
        this.#byUser.set(event.data.toolCallId, event.data);
        return this.#skip(event);
      case "tool.execution_start":
        return this.#readStart(event);
      case "tool.execution_complete":
        return this.#readEnd(event);
      case "system.notification":
      case "skill.invoked":
        return this.#readAnnouncement(event);
      default:
        return this.#readSession(event);
    }
  }

  finish(): void {
    for (const event of this.#announced) this.#announce(event);
    for (const event of [...this.#thoughts.values()].flat()) this.#skip(event);
    const ids = new Map<Pending, MessageId>();
    for (const pending of this.#pending) {
      const { message, compaction, firstKept } = pending;
      const messageId = this.#draft.add(message);
      ids.set(pending, messageId);
      if (compaction === undefined || message.branch !== undefined) continue;
      const firstKeptMessageId = firstKept && ids.get(firstKept);
      this.#draft.compactions.push(
        withoutUndefined({ messageId, firstKeptMessageId, ...compaction } as ImportedCompaction),
      );
    }
  }

  /** What was typed is a message of its own, between what Copilot sent before and after it. */
  #readUser(event: CopilotEvent): void {
    const { data, id, branch } = event;
    const [words, sent] = [textOf(data.content) ?? "", textOf(data.transformedContent)];
    const { media, texts } = readAttachments(data.attachments, sent ?? "", this.#references);
    const isOwn = isTyped(data) && branch === undefined;
    this.#announceOn(branch, { source: textOf(data.source) ?? "", sent: sent ?? words, isTyped: isOwn });
    if (!isOwn)
      return void this.#add(event, "user", [...textParts(sent ?? words), ...media, ...texts], { origin: "harness" });
    const { before, after } = sent === undefined ? { before: "", after: "" } : aroundWords(sent, words);
    this.#tell(event, `${id}.before`, textParts(before));
    this.#add(event, "user", words === "" && media.length > 0 ? media : [textPart(words), ...media]);
    this.#tell(event, `${id}.added`, [...textParts(after), ...texts]);
  }

  #readAnswer(event: CopilotEvent): void {
    const { data, branch, line } = event;
    this.#announceOn(branch);
    const { parts, lines } = this.#withThoughts(event, answerParts(data, this.#draft, { line }));
    const responseId = nonEmptyText(data.apiCallId);
    const begun = this.#responses.get(responseId ?? "");
    if (begun !== undefined && begun.pending.message.branch === branch) {
      begun.parts.push(...parts);
      begun.lines.push(...lines);
      begun.pending.message = { ...begun.pending.message, sourceLines: begun.lines };
      return;
    }
    const usage = this.#references.usages.get(responseId);
    const outputTokens = countOf(data.outputTokens);
    const pending = this.#add(event, "assistant", parts, {
      ...this.#modelOf(data),
      ...(usage && { usage }),
      ...(lines.length > 1 && { sourceLines: lines }),
      notes: withoutUndefined<JsonObject>({ responseId, outputTokens, phase: textOf(data.phase) }),
    });
    if (responseId !== undefined) this.#responses.set(responseId, { pending, parts, lines });
  }

  #readThought(event: CopilotEvent): void {
    const thoughts = this.#thoughts.get(event.branch) ?? [];
    thoughts.push(event);
    this.#thoughts.set(event.branch, thoughts);
  }

  /** The thoughts of events before an answer count only if the answer has none itself. */
  #withThoughts({ branch, line }: CopilotEvent, said: readonly Part[]): { parts: Part[]; lines: number[] } {
    const own = this.#thoughts.get(branch) ?? [];
    this.#thoughts.delete(branch);
    const texts = own.flatMap(({ data }) => nonEmptyText(data.content) ?? []);
    if (texts.length > 0 && !said.some(({ type }) => type === "reasoning")) {
      const thoughts = texts.map((text) => ({ type: "reasoning" as const, text, provider: "copilot" }));
      return { parts: [...thoughts, ...said], lines: [line, ...own.map((thought) => thought.line)] };
    }
    for (const thought of own) this.#skip(thought);
    return { parts: [...said], lines: [line] };
  }

  /** A call that no answer asks for is known from its execution: a log may lack what a sub-agent said. */
  #readStart(event: CopilotEvent): void {
    const { data, line } = event;
    const isKnown = [this.#references.asked, this.#executed, this.#byUser].some((calls) => calls.has(data.toolCallId));
    if (isKnown) return this.#skip(event);
    this.#executed.add(data.toolCallId);
    this.#add(event, "assistant", [readCall(data, this.#draft, { line }, `call-${line}`)], this.#modelOf(data));
  }

  #readEnd(event: CopilotEvent): void {
    const { data, line } = event;
    const result = readResult(data, this.#references, this.#draft, `result-${line}`);
    const asked = this.#byUser.get(data.toolCallId);
    if (asked === undefined && data.isUserRequested !== true) return void this.#add(event, "tool", [result]);
    const { content } = result.result;
    const shown = content.type === "blocks" ? content.blocks : textParts(content.type === "text" ? content.text : "");
    const [first, ...rest] = shown;
    const output = first?.type === "text" ? first.text : "";
    const command = textOf(objectOf(asked?.arguments)?.command) ?? textOf(asked?.toolName);
    const text = command === undefined ? output : `$ ${command}\n${output}`;
    this.#add(event, "user", [textPart(text), ...(first?.type === "text" ? rest : shown)], { origin: "harness" });
  }

  #readAnnouncement(event: CopilotEvent): void {
    const text = announcedText(event);
    if (text === undefined || this.#newestSent.includes(text)) return this.#skip(event);
    this.#announced.push(event);
    const oldest = this.#announced.length > MOST_ANNOUNCED ? this.#announced.shift() : undefined;
    if (oldest !== undefined) this.#announce(oldest);
  }

  /** Adds what was announced on a branch, except what the message that follows says. */
  #announceOn(branch: string | undefined, next?: SentMessage): void {
    this.#newestSent = next?.sent ?? "";
    const own = this.#announced.filter((event) => event.branch === branch);
    if (own.length === 0) return;
    const isSaid = (event: CopilotEvent) =>
      (event.type === "skill.invoked" && next?.source.startsWith("skill-") === true) ||
      next?.sent.includes(announcedText(event) ?? "") === true;
    const said = own.filter(isSaid);
    const left = new Set(next?.isTyped === false ? said : own);
    this.#announced = this.#announced.filter((event) => !left.has(event));
    for (const event of left)
      if (said.includes(event)) this.#skip(event);
      else this.#announce(event);
  }

  #announce(event: CopilotEvent): void {
    this.#tell(event, event.id, textParts(announcedText(event) ?? ""));
  }

  #readSession(event: CopilotEvent): void {
    const { type, data, branch } = event;
    if (type === "session.compaction_start" && branch === undefined) this.#compactedUpTo = this.#pending.length;
    if (type === "session.compaction_complete") this.#readCompaction(event);
    else if (type === "session.context_cleared") this.#clear(event);
    else if (type === "session.handoff")
      this.#tellOrSkip(event, [nonEmptyText(data.summary), nonEmptyText(data.context)]);
    else if (NON_PROMPT.test(type)) this.#skip(event);
    else this.#draft.skipUnknown(type, event.line);
  }

  /** A summary replaces what was said before its compaction began, but not what was said meanwhile. */
  #readCompaction(event: CopilotEvent): void {
    const { data, branch } = event;
    const text = nonEmptyText(data.summaryContent);
    const since = branch === undefined ? this.#compactedUpTo : undefined;
    this.#compactedUpTo = undefined;
    if (data.success !== true || text === undefined) return this.#skip(event);
    const meanwhile = since === undefined ? [] : this.#pending.slice(since);
    const { messagesRemoved, postCompactionTokens, customInstructions } = data;
    const details = withoutUndefined<JsonObject>({
      messagesRemoved: countOf(messagesRemoved),
      postCompactionTokens: countOf(postCompactionTokens),
      customInstructions: textOf(customInstructions)?.toWellFormed(),
    });
    this.#add(
      event,
      "user",
      [textPart(text)],
      { origin: "compaction" },
      {
        firstKept: meanwhile.find(({ message }) => message.branch === undefined && message.role !== "tool"),
        compaction: withoutUndefined<NonNullable<Pending["compaction"]>>({
          tokensBefore: countOf(data.preCompactionTokens),
          trigger: textOf(data.trigger)?.toWellFormed(),
          ...(Object.keys(details).length > 0 && { details }),
        }),
      },
    );
  }

  #clear(event: CopilotEvent): void {
    this.#announceOn(undefined);
    for (const pending of this.#pending)
      if (pending.message.branch === undefined) pending.message = { ...pending.message, branch: CLEARED };
    this.#tellOrSkip(event, [nonEmptyText(event.data.initialMessage)]);
  }

  #tellOrSkip(event: CopilotEvent, texts: readonly (string | undefined)[]): void {
    const parts = texts.flatMap((text) => textParts(text ?? ""));
    if (parts.length === 0) this.#skip(event);
    else this.#tell(event, event.id, parts);
  }

  /** Adds what Copilot itself said in the user's place. */
  #tell(event: CopilotEvent, id: string, parts: readonly Part[]): void {
    if (parts.length > 0) this.#add({ ...event, id }, "user", parts, { origin: "harness" });
  }

  #add(
    { id, time, line, branch }: CopilotEvent,
    role: Role,
    parts: readonly Part[],
    more: Partial<DraftMessage> & { readonly origin?: MessageOrigin } = {},
    compacted: Omit<Pending, "message"> = {},
  ): Pending {
    const message = { id, role, parts, time, source: { line }, ...(branch !== undefined && { branch }), ...more };
    const pending: Pending = { message, ...compacted };
    this.#pending.push(pending);
    return pending;
  }

  #modelOf({ model: named }: ForeignObject): { readonly model?: string } {
    const model = nonEmptyText(named) ?? this.model;
    return model === undefined ? {} : { model };
  }

  #skip({ type, line }: CopilotEvent): void {
    this.#draft.skip(type, line);
  }
}

/** Events with nothing for the model: settings, progress, requests to the user. */
const NON_PROMPT =
  /^(?:abort$|system\.message$|assistant\.(?:turn_|intent$|idle$|usage$|fusion_)|(?:session|hook|permission|subagent|user_input|elicitation|sampling|mcp|external_tool|commands?|exit_plan_mode|auto_mode_switch|session_limits_exhausted|tool_search|capabilities|canvas|extensions|factory|model)\.)/;

/** The fields in which events name the model of the answers after them. */
const MODEL_FIELDS = ["selectedModel", "newModel", "chosenModel", "model"];

/** The model that a setting names. `auto` is not the name of one. */
function modelNamedBy({ type, data, branch }: CopilotEvent): string | undefined {
  if (!type.startsWith("session.") || branch !== undefined) return undefined;
  const names = MODEL_FIELDS.flatMap((field) => nonEmptyText(data[field]) ?? []);
  return names.find((name) => name !== "auto");
}

/** The text of a skill or a notification for the model; those without the mark are for the screen. */
function announcedText({ type, data }: CopilotEvent): string | undefined {
  const text = nonEmptyText(data.content);
  return type === "skill.invoked" || text?.startsWith("<system") === true ? text : undefined;
}

const textPart = (text: string): TextPart => ({ type: "text", text });

const textParts = (text: string): readonly TextPart[] => (text === "" ? [] : [textPart(text)]);
