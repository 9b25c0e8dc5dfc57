import {
  type Artifact,
  type ArtifactId,
  type ArtifactStore,
  asArtifactId,
  type CompactionEventListener,
  type CompactionPlan,
  type ContextCompactionConfig,
  type ContextCompactionEvent,
  isSealedText,
  type JsonValue,
  READ_ARTIFACT_TOOL_NAME,
  type SecurityContext,
  type Sensitivity,
  tellListener,
} from "@threadfold/core";
import {
  isInCooldown,
  type Pointer,
  pointersOf,
  type RehydrationResult,
  type RehydrationState,
  type RehydrationTrigger,
  withRehydrated,
} from "./rehydration-state.ts";
import { truncateToTokens } from "./text-page.ts";

/** The part of the configuration that rehydration reads. Token figures are tokens of the counter. */
export type RehydrationConfig = Pick<
  ContextCompactionConfig,
  | "maxInputTokens"
  | "rehydrationEnabled"
  | "rehydrationMaxArtifactsPerTurn"
  | "rehydrationMaxTokensPerArtifact"
  | "rehydrationTotalBudgetTokens"
  | "rehydrationCooldownTurns"
  | "autoRehydrateSensitivities"
>;

/** A tool call that the agent has made and that has not run yet. */
export interface PendingToolCall {
  readonly toolName: string;
  readonly input: JsonValue;
}

/** What the interceptor needs to know about one turn. */
export interface RehydrationRequest {
  /** What the agent said in this turn. */
  readonly agentMessage: string;
  readonly pendingToolCalls: readonly PendingToolCall[];
  readonly plan: CompactionPlan;
  readonly artifactStore: ArtifactStore;
  /** A number that increases by one from turn to turn. In an autonomous run without user turns, use the step. */
  readonly currentTurn: number;
  readonly state: RehydrationState;
  /** On whose behalf artifacts are read; the store decides which ones may be read. */
  readonly securityContext?: SecurityContext;
  /** Tokens that the request still has free; the configured total applies if it is smaller. */
  readonly availableTokens?: number;
}

/** What to inject into the prompt, and the state for the next turn. */
export interface RehydrationOutcome {
  readonly results: readonly RehydrationResult[];
  readonly state: RehydrationState;
  /** Artifacts that were asked for but are too sensitive to come back automatically. */
  readonly blocked: readonly ArtifactId[];
}

interface Wanted {
  readonly artifactId: ArtifactId;
  readonly trigger: RehydrationTrigger;
}

/**
 * Brings externalized content back when the agent refers to it: by id in its text, by id anywhere in the arguments of a
 * call, or by asking for what an artifact's hint describes.
 *
 * What comes back is ephemeral: it is returned for this turn's prompt and changes neither thread nor plan. Artifacts
 * per turn, tokens per artifact and total tokens are limited, in tokens of the counter. An artifact that was just
 * brought back has a cooldown of some turns, only configured sensitivities come back automatically, and the store
 * checks who asks.
 */
export class RehydrationInterceptor {
  readonly #config: RehydrationConfig;
  readonly #countTokens: (text: string) => number;
  readonly #listener: CompactionEventListener | undefined;

  constructor(config: RehydrationConfig, countTokens: (text: string) => number, listener?: CompactionEventListener) {
    this.#config = config;
    this.#countTokens = countTokens;
    this.#listener = listener;
  }

  /** Decides what comes back in this turn and reads it. If the store fails, this call fails. */
  async maybeRehydrate(request: RehydrationRequest): Promise<RehydrationOutcome> {
    const { currentTurn, state } = request;
    const wanted = this.#config.rehydrationEnabled ? this.#wanted(request) : [];
    const budget = Math.min(
      this.#config.rehydrationTotalBudgetTokens,
      request.availableTokens ?? Number.POSITIVE_INFINITY,
    );
    const results: RehydrationResult[] = [];
    const blocked: ArtifactId[] = [];
    let used = 0;
    for (const want of wanted) {
      const artifact = await this.#read(want.artifactId, request, blocked);
      const result = artifact === null ? null : this.#resultOf(want, artifact, budget);
      if (result === null) continue;
      if (used + result.tokenCount > budget) break;
      results.push(result);
      used += result.tokenCount;
      this.#emit(request, { type: "compaction_rehydrated", artifactId: want.artifactId, tokens: result.tokenCount });
    }
    const ids = results.map(({ artifactId }) => artifactId);
    return { results, blocked, state: withRehydrated(state, ids, currentTurn, this.#config.rehydrationCooldownTurns) };
  }

  /** The artifacts that the turn asks for, the most explicit references first, up to the limit per turn. */
  #wanted({ agentMessage, pendingToolCalls, plan, currentTurn, state }: RehydrationRequest): readonly Wanted[] {
    const pointers = pointersOf(plan);
    const wanted = new Map<ArtifactId, RehydrationTrigger>();
    const want = (artifactId: ArtifactId, trigger: RehydrationTrigger): void => {
      if (!pointers.has(artifactId) || wanted.has(artifactId)) return;
      if (!isInCooldown(state, artifactId, currentTurn, this.#config.rehydrationCooldownTurns))
        wanted.set(artifactId, trigger);
    };
    for (const id of referencesIn(agentMessage)) want(id, "message-reference");
    for (const { toolName, input } of pendingToolCalls) {
      // This call itself brings the content back.
      if (toolName === READ_ARTIFACT_TOOL_NAME) continue;
      for (const id of referencesInJson(input)) want(id, "argument-reference");
    }
    for (const [artifactId, pointer] of pointers)
      if (asksForPointer(agentMessage, pointer)) want(artifactId, "hint-match");
    const limited = [...wanted].slice(0, this.#config.rehydrationMaxArtifactsPerTurn);
    return limited.map(([artifactId, trigger]) => ({ artifactId, trigger }));
  }

  /**
   * An artifact that may come back automatically; null when it is gone, not readable by the requester, too sensitive,
   * or still sealed.
   */
  async #read(artifactId: ArtifactId, request: RehydrationRequest, blocked: ArtifactId[]): Promise<Artifact | null> {
    const { artifactStore, securityContext } = request;
    const metadata = await artifactStore.getMetadata(artifactId, securityContext);
    if (metadata === null) return null;
    if (!this.#mayComeBack(metadata.sensitivity))
      return this.#block(artifactId, metadata.sensitivity, request, blocked);
    const artifact = await artifactStore.retrieve(artifactId, securityContext);
    if (artifact === null || isSealedText(artifact.content)) return null;
    if (this.#mayComeBack(artifact.metadata.sensitivity)) return artifact;
    // Its sensitivity was raised after the metadata was read.
    return this.#block(artifactId, artifact.metadata.sensitivity, request, blocked);
  }

  #mayComeBack(sensitivity: Sensitivity): boolean {
    return this.#config.autoRehydrateSensitivities.includes(sensitivity);
  }

  #block(artifactId: ArtifactId, sensitivity: Sensitivity, request: RehydrationRequest, blocked: ArtifactId[]): null {
    blocked.push(artifactId);
    const reason = `${sensitivity} content does not come back on its own; call ${READ_ARTIFACT_TOOL_NAME}`;
    this.#emit(request, { type: "rehydration_blocked_sensitivity", artifactId, reason });
    return null;
  }

  #resultOf(
    { artifactId, trigger }: Wanted,
    { content, metadata }: Artifact,
    budget: number,
  ): RehydrationResult | null {
    const limit = Math.min(this.#config.rehydrationMaxTokensPerArtifact, budget);
    // Rendering adds how to read on, because it knows whether the model has a tool for that.
    const marker = (shown: number, total: number): string =>
      `\n[… cut here: ${shown} of ${total} characters are shown]`;
    const cut = truncateToTokens(content, limit, this.#countTokens, marker);
    return cut === null
      ? null
      : { artifactId, content: cut.text, tokenCount: cut.tokens, truncated: cut.truncated, trigger, metadata };
  }

  #emit(request: RehydrationRequest, event: EventDetails): void {
    const place = { threadId: request.plan.threadId, budgetLimit: this.#config.maxInputTokens };
    tellListener(this.#listener, { ...event, ...place } as ContextCompactionEvent);
  }
}

type EventDetails =
  | { readonly type: "compaction_rehydrated"; readonly artifactId: ArtifactId; readonly tokens: number }
  | { readonly type: "rehydration_blocked_sensitivity"; readonly artifactId: ArtifactId; readonly reason: string };

/** An artifact id as a whole token: letters, digits and underscores next to it would make it part of another word. */
const REFERENCE = /(?<![A-Za-z0-9_])artifact_[0-9a-f]{16,64}(?![A-Za-z0-9_])/g;
const PREFIX = "artifact_";

/** The artifact ids in a text, in order, each once. Linear in the length of the text. */
function referencesIn(text: string): readonly ArtifactId[] {
  if (!text.includes(PREFIX)) return [];
  return [...new Set(text.match(REFERENCE) ?? [])].map(asArtifactId);
}

/** The artifact ids in any text of a JSON value, at any depth, in order, each once. */
function referencesInJson(value: JsonValue | undefined): readonly ArtifactId[] {
  const found = new Set<ArtifactId>();
  // An explicit stack instead of recursion, because arguments may be nested as deeply as a provider allows.
  const waiting: (JsonValue | undefined)[] = [value];
  while (waiting.length > 0) {
    const item = waiting.pop();
    if (typeof item === "string") for (const id of referencesIn(item)) found.add(id);
    else if (typeof item === "object" && item !== null) {
      const inside = Array.isArray(item) ? item : Object.values(item);
      for (let index = inside.length - 1; index >= 0; index--) waiting.push(inside[index]);
    }
  }
  return [...found];
}

/** Words that hints and questions share whatever they are about. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  (
    "about again also artifact back been before call called characters complete content contents data detail details does done each earlier entire every file files find from full " +
    "have here into just know last like line lines look make more need needed needs only original other output part please read recall result results retrieve same section see show some " +
    "stored summary tell text than that their them then there these they thing this tokens tool turn used uses value want what when where which whole will with would you your"
  ).split(" "),
);
const ASKING =
  /[?？]|\b(?:need|want|recall|remember|remind|look (?:up|at|again)|re-?read|see|show|check|find|fetch|retrieve|get|load|what was|what were|exact|contents? of)\b|brauche|erinner|besoin|rappel|necesito|recordar|需要|查看|回忆/iu;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}_./:@-]*[\p{L}\p{N}]/gu;
/** A name has something that plain words lack, so one shared name is enough. */
const NAME = /[\p{L}\p{N}][_./:@][\p{L}\p{N}]|\p{L}\d|\d\p{L}|\p{Ll}\p{Lu}/u;
const MIN_WORD = 4;
const MIN_SHARED_WORDS = 2;
const MIN_SHARED_PART = 0.6;
/** How much of a message is read, in UTF-16 code units: an agent asks in few words; a longer message is a report. */
const MAX_MESSAGE = 20_000;
const MAX_HINT = 2_000;

/**
 * True when an agent's message asks for what a pointer is about: for what its hint describes or, in a question, for a
 * name in its content.
 */
function asksForPointer(message: string, { hint, content }: Pointer): boolean {
  if (hint !== "" && asksForHint(message, hint)) return true;
  const sentences = content.length === 0 ? [] : message.slice(0, MAX_MESSAGE).split(SENTENCE_END);
  const asked = sentences.filter((sentence) => /[?？]["')]?$/.test(sentence));
  const said = new Set(asked.flatMap((question) => question.match(WORD) ?? []).map((word) => word.toLowerCase()));
  return content.some((name) => NAME.test(name) && said.has(name.toLowerCase()));
}

/**
 * Splits a message into sentences. Only questions count, because names that the agent mentions are everywhere in its
 * work.
 */
const SENTENCE_END = /(?<=[.!?。！？])\s+|\n/u;

/**
 * True when an agent's message asks for what a hint describes ("read if you need the schema of orders_v2"): it asks for
 * something, and it contains a path or identifier of the hint or, if the hint has none, most of its content words. A
 * hint without content words matches nothing.
 */
function asksForHint(message: string, hint: string): boolean {
  const text = message.slice(0, MAX_MESSAGE);
  if (!ASKING.test(text)) return false;
  const wanted = tellingWords(hint.slice(0, MAX_HINT));
  if (wanted.length === 0) return false;
  const said = new Set((text.match(WORD) ?? []).map((word) => word.toLowerCase()));
  const names = wanted.filter((word) => NAME.test(word));
  if (names.some((name) => said.has(name.toLowerCase()))) return true;
  const plain = wanted.filter((word) => !NAME.test(word));
  const shared = plain.filter((word) => said.has(word.toLowerCase())).length;
  return names.length === 0 && shared >= MIN_SHARED_WORDS && shared / plain.length >= MIN_SHARED_PART;
}

function tellingWords(hint: string): readonly string[] {
  const words = hint.match(WORD) ?? [];
  return [...new Set(words)].filter(
    (word) => word.length >= MIN_WORD && /\p{L}/u.test(word) && !EMPTY_WORDS.has(word.toLowerCase()),
  );
}
