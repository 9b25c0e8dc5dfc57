import { type Message, type Part, type Role, type ToolDefinition, toolResultText } from "@threadfold/core";

/** A policy that makes prompts: one of our presets, another library's function, or a naive rule. */
export interface PromptPolicy {
  /** Names the policy in tables and data. Equal ids mean equal behaviour. */
  readonly id: string;
  /** Begins one session at one budget. */
  begin(context: PolicyContext): Promise<PolicyRun>;
}

/** What a policy knows before the first call of a session. Everything in it is the same for every policy. */
export interface PolicyContext {
  readonly sessionId: string;
  /** Tokens that no prompt should exceed, counted as `countTokens` counts. */
  readonly budgetTokens: number;
  /**
   * System text that is not among the messages. A policy sends it as the first pieces of its prompts, with role
   * `system`.
   */
  readonly system: readonly string[];
  /** Every tool that the session calls. Definitions are not counted, because logs rarely have them. */
  readonly tools: readonly ToolDefinition[];
  /** Summarizes a span in at most `maxTokens`: the same deterministic stand-in for a model for every policy. */
  readonly summarize: (span: readonly Message[], maxTokens: number) => Promise<string>;
  /** Counts tokens as characters / 4, rounded up. */
  readonly countTokens: (text: string) => number;
}

/** One session being replayed under a policy. */
export interface PolicyRun {
  /**
   * Takes what the log adds before a recorded model call, and returns the prompt for that call. The messages of all
   * calls together are the log so far, in order; those of side branches are left out.
   *
   * @param at when the call was made, in milliseconds since 1970.
   */
  prompt(added: readonly Message[], at: number): Promise<PolicyPrompt>;
  /** Returns the result text of one recall query, asked after `prompt`; absent for a policy that has no recall. */
  recall?(query: string): Promise<string>;
  end(): Promise<void>;
}

/** A prompt as a policy would send it, and the cost of making it. */
export interface PolicyPrompt {
  /** The whole prompt, piece by piece, in order, as sent: system text first, then the messages. */
  readonly messages: readonly PromptPiece[];
  /** Calls of a summarizing model made for this prompt, in tokens. */
  readonly summaryCalls: readonly SummaryCall[];
  /** How long its prefixes are to be cached, if the policy chooses that; see `AUTO_BILL`. */
  readonly cacheTime?: "5m" | "1h";
  /** True when the policy changed what it shows of the past: a fold, a cut, a summary. */
  readonly committed: boolean;
  /** Legality violations that the policy's own checker found; the replay adds its own check of pairs. */
  readonly violations: number;
  /**
   * Milliseconds spent planning and making the prompt. Conversions for this measurement are left out where possible,
   * and so is the time of a stand-in for a model; see {@link WorkTime}.
   */
  readonly milliseconds: number;
}

/**
 * Measures how long a policy works, without the time of a stand-in for a model: it would have to wait for a real one.
 */
export class WorkTime {
  readonly #now: () => number;
  #answering = 0;
  #since = 0;
  #waited = 0;

  /** @param now returns the time in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Waits for a stand-in's answer. The time of simultaneous answers counts only once. */
  async waitFor<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
    if (this.#answering++ === 0) this.#since = this.#now();
    try {
      return await answer();
    } finally {
      if (--this.#answering === 0) this.#waited += this.#now() - this.#since;
    }
  }

  /** Runs work, and returns how many milliseconds of it were not spent waiting. */
  async of<Result>(work: () => Result): Promise<{ readonly result: Awaited<Result>; readonly milliseconds: number }> {
    const [began, waited] = [this.#now(), this.#waited];
    const result = await work();
    return { result, milliseconds: this.#now() - began - (this.#waited - waited) };
  }
}

/** The tokens that one call of a summarizing model read and wrote. */
export interface SummaryCall {
  readonly read: number;
  readonly wrote: number;
}

/** One message of a prompt. The same object is measured only once: keep objects from call to call where you can. */
export interface PromptPiece {
  readonly role: Role;
  /** The text that is counted and searched: text, call names and arguments, and results. See `pieceText`. */
  readonly text: string;
  /** What must be equal for a cached prefix; `text` by default. The role is compared separately. */
  readonly key?: string;
  /** Ids of the tool calls in it, for checking pairs. */
  readonly callIds?: readonly string[];
  /** Ids of the tool calls that it answers. */
  readonly resultIds?: readonly string[];
}

/** What a piece of a prompt needs of a message, in a thread or in a request. */
export interface PieceSource {
  readonly role: Role;
  readonly parts: readonly Part[];
}

/**
 * Returns the counted text of a message: its text, the names and arguments of its calls, and its results, joined by
 * line breaks. Reasoning and media are not counted.
 */
export function pieceText({ parts }: PieceSource): string {
  return parts.map(partText).filter(Boolean).join("\n");
}

function partText(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-call":
      return `${part.toolName} ${part.invalidInput ?? JSON.stringify(part.input)}`;
    case "tool-result":
      return toolResultText(part.result.content);
    default:
      return "";
  }
}

const known = new WeakMap<PieceSource, PromptPiece>();

/** Returns a message, unchanged, as a piece of a prompt. The same message always returns the same piece. */
export function pieceOf(message: PieceSource): PromptPiece {
  const found = known.get(message);
  if (found !== undefined) return found;
  const piece = freshPiece(message);
  known.set(message, piece);
  return piece;
}

function freshPiece(message: PieceSource): PromptPiece {
  const callIds = message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
  const resultIds = message.parts.flatMap((part) => (part.type === "tool-result" ? [part.result.callId] : []));
  return { role: message.role, text: pieceText(message), callIds, resultIds };
}

/** Returns the system text of a context, as the first pieces of every prompt. */
export function systemPieces({ system }: Pick<PolicyContext, "system">): readonly PromptPiece[] {
  return system.map((text) => ({ role: "system", text }));
}
