import {
  canonicalJson,
  type JsonObject,
  modelCallFailure,
  STRUCTURED_SUMMARY_SCHEMA_VERSION,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  sha256,
  ThreadfoldError,
  withinLimit,
} from "@threadfold/core";
import { rejection } from "./answer/rejection.ts";
import { type LLMSettings, type LLMSummarizerOptions, llmSettings } from "./llm-summarizer-options.ts";
import { promptVersionOf } from "./prompts/prompts.ts";

/** Bump it when the same model answer would lead to different changes than before. */
const LLM_SUMMARIZER_VERSION = 2;
/** A summary of fewer tokens has no room for anything worth a call. */
const LEAST_SUMMARY = 64;

/** Loaded on demand, like what reads a span without a model, which it uses. */
const foldReading = () => import("./fold-reader.ts");

/**
 * Summarizes with a language model behind the `complete()` port, in the form that its prompt asks for. Notes are
 * checked by code against the span and merged as changes, never as a rewritten summary. Prose becomes the summary's
 * narrative unchanged, and the next fold shows it to the model to build on. To either, code adds what it finds itself:
 * the task word for word, rules, requests, files, and identifiers (with notes) or commands (with prose). A span longer
 * than the model's window is read in runs of whole groups (S20), each building on the notes of those before (S21).
 *
 * It has no side effects. A failure is thrown, and the fold continues without a model (P6, S18, S19).
 */
export class LLMSummarizer implements Summarizer {
  readonly id: string;
  readonly identity: JsonObject;
  readonly #settings: LLMSettings;

  /** @throws ThreadfoldError `INVALID_CONFIG` when a figure is below its minimum. */
  constructor(options: LLMSummarizerOptions) {
    this.#settings = llmSettings(options);
    this.identity = identityOf(this.#settings);
    const { model, prompt } = this.#settings;
    const digest = sha256(canonicalJson(this.identity)).slice(0, 8);
    foldReading().catch(() => undefined);
    this.id = `llm-v${LLM_SUMMARIZER_VERSION} ${model.id} ${promptVersionOf(prompt)} ${digest}`;
  }

  /** @throws ThreadfoldError `SUMMARIZER_FAILED` with a `RejectionReason` in its details, or `ABORTED` when aborted. */
  async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
    const messages = request.messages.filter(({ branch }) => branch === undefined);
    throwIfAborted(request.signal);
    if (messages.length === 0 || request.maxTokens < LEAST_SUMMARY) return { changes: [], nothingToSay: true };
    const { timeLimitMs } = this.#settings;
    const { FoldReader } = await foldReading();
    try {
      return await withinLimit((signal) => new FoldReader({ ...request, messages }, this.#settings, signal).read(), {
        ...{ milliseconds: timeLimitMs, waitedFor: "the summary", option: "timeLimitMs", timers: globalThis },
        ...(request.signal !== undefined && { signal: request.signal }),
        late: () => rejection("time-limit", `there was no summary after ${timeLimitMs} ms`),
      });
    } catch (error) {
      throwIfAborted(request.signal);
      if (modelCallFailure(error) === null) throw error;
      throw rejection("model-failed", error instanceof Error ? error.message : "the call failed", error);
    }
  }
}

function identityOf(settings: LLMSettings): JsonObject {
  const { model, prompt, contextWindow, maxOutputTokens, maxMessageTokens, instructions, prefixFor } = settings;
  const { temperature, maxInputTokens } = settings;
  return {
    summarizer: "llm",
    version: LLM_SUMMARIZER_VERSION,
    schemaVersion: STRUCTURED_SUMMARY_SCHEMA_VERSION,
    model: model.id,
    promptVersion: promptVersionOf(prompt),
    contextWindow,
    maxOutputTokens,
    maxMessageTokens,
    temperature,
    maxInputTokens,
    instructions,
    prefixed: prefixFor !== null,
  };
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new ThreadfoldError("ABORTED", "Summarizing was aborted.", { cause: signal.reason });
}
