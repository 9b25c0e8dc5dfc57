import {
  AgentThread,
  asArtifactId,
  asMessageId,
  asPinId,
  asThreadId,
  asToolCallId,
  type CompactionPlan,
  emptySummary,
  groupRecords,
  type JsonObject,
  type Message,
  type MessageInput,
  type Part,
  type PlanRecord,
  type Role,
  sealPlan,
  spanOf,
  type ThreadEntryInput,
  type ToolResultEnvelope,
} from "@threadfold/core";

/**
 * A thread and a plan, written down line by line. A speaker begins a line and a message: `user: Build it.` Lines that
 * begin with `+` add a part to the message before them. Ids are counted by speaker: `u1`, `a1`, `t1`, `s1`; calls are
 * `c1`, `c2`, unless `as` names them. `\n` in a text is a line break, and `\u202e` the character of that number.
 *
 * ```
 * system: You are careful.
 * user: Read it.            user on side: …        assistant: …
 * + call read {"path":"a"}  + call read as x|1 {}  + call read text not JSON
 * + thinks by anthropic: …  + thinks: …            + hidden by openai {"id":"rs_1"}: …
 * + text {"openai":{…}}: …  + image url https://…  + image png   + file application/pdf   + item anthropic {…}
 * result c1: text           failed result c1: …    result c1 json {"a":1}     result c1 image
 * pin: Never push.          operator pin: …        unpin p1
 * drop u1 a1                clear t1               clear input a1             clear t1 {"path":"a"}
 * summarize u1 a1: fact     externalize t1         externalize u1 a1          externalize t1 showing 5 and 3
 * ```
 */
export interface ShortThread {
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
}

/** Reads lines in this form. @throws Error naming the first line that is not in it. */
export function readShortThread(lines: readonly string[]): ShortThread {
  const draft = new Draft();
  for (const line of lines) draft.read(line);
  return draft.finished();
}

const CREATED = Date.UTC(2026, 0, 1);
const ARTIFACT = asArtifactId("artifact_0123456789abcdef01234567");
const PNG = { kind: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
const LETTERS: Readonly<Record<Role, string>> = { system: "s", user: "u", assistant: "a", tool: "t" };

type Reader = (draft: Draft, match: RegExpExecArray) => void;

const READERS: readonly (readonly [RegExp, Reader])[] = [
  [
    /^(system|user|assistant)(?: on (\S+))?:(?: (.*))?$/s,
    (draft, [, role, branch, text]) => draft.say(role as Role, text, branch),
  ],
  [
    /^\+ text (\{.*\}): (.*)$/s,
    (draft, [, metadata, text]) =>
      draft.add({ type: "text", text: text ?? "", providerMetadata: JSON.parse(metadata ?? "") }),
  ],
  [
    /^\+ call (\S+)(?: as (\S+))? (.*)$/,
    (draft, [, toolName, id, input]) => draft.call(toolName ?? "", id, input ?? ""),
  ],
  [
    /^\+ thinks(?: by (\S+))?: (.*)$/,
    (draft, [, provider, text]) =>
      draft.add({
        type: "reasoning",
        text: text ?? "",
        ...(provider !== undefined && { provider, signature: "c2lnbmVk" }),
      }),
  ],
  [
    /^\+ hidden by (\S+)(?: (\{.*\}))?: (.*)$/,
    (draft, [, provider = "", metadata, encrypted = ""]) =>
      draft.add({
        type: "reasoning",
        text: "",
        provider,
        encrypted,
        ...(metadata !== undefined && { providerMetadata: { [provider]: JSON.parse(metadata) } }),
      }),
  ],
  [/^\+ image png$/, (draft) => draft.add({ type: "image", source: PNG, name: "shot.png" })],
  [
    /^\+ (image|file) url (\S+)(?: (\S+))?$/,
    (draft, [, type, url = "", mediaType]) =>
      draft.add({ type: type as "image", source: { kind: "url", url, ...(mediaType !== undefined && { mediaType }) } }),
  ],
  [
    /^\+ (image|file) id (\S+)$/,
    (draft, [, type, fileId = ""]) => draft.add({ type: type as "image", source: { kind: "file-id", fileId } }),
  ],
  [
    /^\+ file (\S+\/\S+)$/,
    (draft, [, mediaType = ""]) =>
      draft.add({ type: "file", source: { kind: "base64", mediaType, data: "AAAA" }, name: "a.bin" }),
  ],
  [
    /^\+ item (\S+) (\{.*\})$/,
    (draft, [, provider = "", value = ""]) => draft.add({ type: "opaque", provider, value: JSON.parse(value) }),
  ],
  [
    /^(failed )?result (\S+) json (.*)$/,
    (draft, [, failed, id = "", value = ""]) => draft.result(id, failed, { type: "json", value: JSON.parse(value) }),
  ],
  [
    /^(failed )?result (\S+) image$/,
    (draft, [, failed, id = ""]) =>
      draft.result(id, failed, {
        type: "blocks",
        blocks: [
          { type: "text", text: "The page:" },
          { type: "image", source: PNG },
        ],
      }),
  ],
  [
    /^(failed )?result (\S+):(?: (.*))?$/s,
    (draft, [, failed, id = "", text = ""]) => draft.result(id, failed, { type: "text", text }),
  ],
  [/^(operator )?pin: (.*)$/s, (draft, [, operator, text = ""]) => draft.pin(text, operator)],
  [/^unpin (\S+)$/, (draft, [, id = ""]) => draft.unpin(id)],
  [/^drop (.*)$/, (draft, [, ids = ""]) => draft.fold(ids, (base) => ({ ...base, action: "drop", keywords: [] }))],
  [
    /^clear input (\S+)$/,
    (draft, [, id = ""]) =>
      draft.fold(id, (base) => ({ ...base, action: "clear", targets: ["tool-input"], preservedFields: {} })),
  ],
  [
    /^clear (\S+)(?: (\{.*\}))?$/,
    (draft, [, id = "", fields]) =>
      draft.fold(id, (base) => ({
        ...base,
        action: "clear",
        targets: ["tool-result"],
        preservedFields: fields === undefined ? {} : JSON.parse(fields),
      })),
  ],
  [/^summarize (.*?): (.*)$/s, (draft, [, ids = "", fact = ""]) => draft.fold(ids, (base) => summarized(base, fact))],
  [
    /^externalize (\S+) showing (\d+) and (\d+)$/,
    (draft, [, id = "", head, tail]) =>
      draft.fold(id, (base) => ({
        ...externalized(base),
        preview: { headCharacters: Number(head), tailCharacters: Number(tail), leftOutTokens: 100 },
      })),
  ],
  [/^externalize (.*)$/, (draft, [, ids = ""]) => draft.fold(ids, externalized)],
];

type Base = Pick<PlanRecord, "span" | "strategy" | "reason" | "sincePlanVersion" | "originalTokens">;

function summarized(base: Base, fact: string): PlanRecord {
  const facts = [{ id: "f1", sources: base.span.messageIds, text: fact }];
  const summary = { ...emptySummary(base.span), facts };
  return { ...base, action: "summarize", summary, summaryTokens: 20, summarizer: "hand@1", resolved: [] };
}

function externalized(base: Base) {
  const form = base.span.messageIds.length === 1 ? "body" : "span";
  const summary = emptySummary(base.span);
  return {
    ...base,
    action: "externalize",
    form,
    artifactId: ARTIFACT,
    rehydrateHint: "read it for the rest",
    summary,
  } as const;
}

const unescaped = (line: string): string =>
  line
    .replaceAll("\\n", "\n")
    .replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

class Draft {
  readonly #entries: ThreadEntryInput[] = [];
  readonly #counts = new Map<string, number>();
  readonly #tools = new Map<string, string>();
  readonly #folds: ((thread: AgentThread) => PlanRecord)[] = [];

  read(line: string): void {
    for (const [pattern, reader] of READERS) {
      const match = pattern.exec(line);
      if (match !== null) return reader(this, match);
    }
    throw new Error(`Not a line of a short thread: ${line}`);
  }

  say(role: Role, text: string | undefined, branch?: string): void {
    this.#push(role, text === undefined ? [] : [{ type: "text", text: unescaped(text) }], branch);
  }

  add(part: Part): void {
    const entry = this.#entries.at(-1);
    if (entry?.type !== "message") throw new Error("A part must follow a message.");
    const { message } = entry;
    const added = part.type === "text" ? { ...part, text: unescaped(part.text) } : part;
    this.#entries[this.#entries.length - 1] = { ...entry, message: { ...message, parts: [...message.parts, added] } };
  }

  call(toolName: string, name: string | undefined, written: string): void {
    const callId = asToolCallId(name ?? this.#next("c"));
    this.#tools.set(callId, toolName);
    const input = jsonOf(written);
    this.add({
      type: "tool-call",
      callId,
      toolName,
      input: input ?? written,
      ...(input === undefined && { invalidInput: written }),
    });
  }

  result(id: string, failed: string | undefined, content: ToolResultEnvelope["content"]): void {
    const body = content.type === "text" ? { ...content, text: unescaped(content.text) } : content;
    const outcome = failed === undefined ? "success" : "failure";
    const toolName = this.#tools.get(id) ?? "read";
    this.#push("tool", [
      { type: "tool-result", result: { callId: asToolCallId(id), toolName, outcome, content: body } },
    ]);
  }

  pin(text: string, operator: string | undefined): void {
    const authority = operator === undefined ? "user" : "system";
    const id = asPinId(this.#next("p"));
    this.#entries.push({ type: "pin", pin: { id, text: unescaped(text), authority, origin: "explicit" } });
  }

  unpin(id: string): void {
    this.#entries.push({ type: "pin-lifted", pinId: asPinId(id), authority: "user", reason: "no longer needed" });
  }

  fold(ids: string, record: (base: Base) => PlanRecord): void {
    this.#folds.push((thread) => {
      const messages = ids.split(" ").map((id) => thread.message(asMessageId(id)) as Message);
      const reason = "the case says so";
      return record({ span: spanOf(messages), strategy: "hand", reason, sincePlanVersion: 1, originalTokens: 100 });
    });
  }

  finished(): ShortThread {
    const thread = AgentThread.empty(asThreadId("short")).appendEntries(this.#entries);
    const records = this.#folds.map((fold) => fold(thread));
    const plan = sealPlan({
      ...groupRecords(records),
      threadId: thread.id,
      threadVersion: thread.version,
      version: records.length === 0 ? 0 : 1,
      policyVersion: "hand",
      createdAt: new Date(CREATED).toISOString(),
      originalTokens: 0,
      compactedTokens: 0,
    });
    return { thread, plan };
  }

  #push(role: Role, parts: readonly Part[], branch?: string): void {
    const id = asMessageId(this.#next(LETTERS[role]));
    const createdAt = new Date(CREATED + this.#entries.length * 1_000).toISOString();
    const message: MessageInput = { id, role, parts, createdAt, ...(branch !== undefined && { branch }) };
    this.#entries.push({ type: "message", message });
  }

  #next(letter: string): string {
    const count = (this.#counts.get(letter) ?? 0) + 1;
    this.#counts.set(letter, count);
    return `${letter}${count}`;
  }
}

function jsonOf(written: string): JsonObject | undefined {
  try {
    return JSON.parse(written) as JsonObject;
  } catch {
    return undefined;
  }
}
