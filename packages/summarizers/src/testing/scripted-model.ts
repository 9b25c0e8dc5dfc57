import type { CompletionModel, CompletionRequest, CompletionResult } from "@threadfold/core";

/** An answer of a scripted model: a result, just its text, or an error to throw. */
export type ScriptedAnswer = Partial<CompletionResult> | string | Error;

/** A model that returns scripted answers, one per call, and repeats the last one. It records its requests. */
export class ScriptedModel implements CompletionModel {
  readonly id = "scripted";
  readonly requests: CompletionRequest[] = [];
  readonly #answer: (request: CompletionRequest, call: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

  constructor(
    answers:
      | readonly ScriptedAnswer[]
      | ((request: CompletionRequest, call: number) => ScriptedAnswer | Promise<ScriptedAnswer>),
  ) {
    this.#answer =
      typeof answers === "function"
        ? answers
        : (_, call) => answers[Math.min(call, answers.length - 1)] as ScriptedAnswer;
  }

  async complete(request: CompletionRequest): Promise<CompletionResult> {
    this.requests.push(request);
    const answer = await this.#answer(request, this.requests.length - 1);
    if (answer instanceof Error) throw answer;
    const usage = { inputTokens: 100, outputTokens: 10 };
    const result = typeof answer === "string" ? { text: answer } : answer;
    return { text: "", finish: "stop", toolCalls: 0, usage, ...result };
  }
}

/** Returns the text of the first message of a request. */
export const questionOf = (request: CompletionRequest | undefined): string => request?.messages[0]?.text ?? "";

/** Returns an answer that adds one fact, with the newest message in the question as its source. */
export function factAnswer(request: CompletionRequest, text = "The parser is slow."): string {
  const numbers = [...questionOf(request).matchAll(/^[0-9a-f]{8} m(\d+) /gm)].map(([, number]) => Number(number));
  return JSON.stringify({ add: { facts: [{ text, sources: [numbers.at(-1) ?? 1] }] } });
}
