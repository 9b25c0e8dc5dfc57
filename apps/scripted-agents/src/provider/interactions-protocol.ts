import type { ScriptedCall } from "../script/scripted-agent.ts";
import { type Body, type ProviderProtocol, type Refusal, type SentStep, withoutMarks } from "./provider-protocol.ts";

interface Step extends Body {
  readonly type: string;
}

/** Gemini's Interactions API, stateless at the provider. */
export const interactionsProtocol: ProviderProtocol = {
  format: "gemini-interactions",
  path: "/v1beta/interactions",
  // One that refuses a call of the open loop without its thought, and one that accepts it but answers worse.
  models: ["gemini-3.1-pro-preview", "gemini-2.5-pro"],
  reasoning: {
    thinks: () => true,
    refusalOf: ({ model, input }) =>
      asksForThoughts(String(model)) ? missingThought(turnsOf(input as readonly Step[])) : null,
    steps: ({ input }) => turnsOf(input as readonly Step[]),
    without: (body) => ({
      ...body,
      input: (body["input"] as readonly Step[]).filter(({ type }) => type !== "thought"),
    }),
    isBoundToPrefix: () => false,
  },
  pieces: ({ tools, system_instruction, input }) => [
    withoutMarks(tools ?? []),
    withoutMarks(system_instruction ?? ""),
    ...(input as readonly unknown[]).map(withoutMarks),
  ],
  answer: ({ text, calls }, { id, model, thought, inputTokens, cachedTokens, outputTokens, cutOff }) => ({
    id: `int_${id}`,
    object: "interaction",
    model,
    role: "model",
    status: cutOff ? "incomplete" : calls.length > 0 ? "requires_action" : "completed",
    steps: [
      ...(thought === undefined
        ? []
        : [{ type: "thought", signature: thought.proof, summary: [{ type: "text", text: thought.text }] }]),
      ...(text === "" ? [] : [{ type: "model_output", content: [{ type: "text", text }] }]),
      ...calls.map((call, index) => functionCall(call, cutOff && index === calls.length - 1)),
    ],
    usage: {
      total_input_tokens: inputTokens,
      total_cached_tokens: cachedTokens,
      total_output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    },
  }),
  stream: () => {
    throw new Error("This double does not stream.");
  },
  refuse: (refusal) => {
    const { code, status, message } = refused(refusal);
    return { status: code, body: { error: { code, status, message } } };
  },
};

/** Gemini 3 and later refuse a call without its thought. */
const asksForThoughts = (model: string): boolean => !/^gemini-[12]\b/.test(model);

const missingThought = (turns: readonly SentStep[]): string | null =>
  turns.some(({ isInOpenLoop, calls, thoughts }) => isInOpenLoop && calls.length > 0 && thoughts.length === 0)
    ? "Function call is missing a thought_signature in functionCall parts."
    : null;

/** Number of pieces before the steps: a request consists of its tools, its system text and then its steps. */
const PIECES_BEFORE_STEPS = 2;

/** Returns the model's turns: its consecutive thoughts, texts and calls. */
function turnsOf(steps: readonly Step[]): readonly SentStep[] {
  const asked = steps.findLastIndex(({ type }) => type === "user_input");
  const starts = steps.flatMap((step, index) => (isOfModel(step) && !isOfModel(steps[index - 1]) ? [index] : []));
  return starts.map((start) => {
    const next = steps.findIndex((step, index) => index > start && !isOfModel(step));
    const own = steps.slice(start, next < 0 ? undefined : next);
    return {
      piece: start + PIECES_BEFORE_STEPS,
      calls: own.flatMap(({ type, id }) => (type === "function_call" ? [String(id)] : [])),
      thoughts: own.flatMap(({ type, signature, summary }) =>
        type === "thought" ? [{ text: textOf(summary), proof: String(signature) }] : [],
      ),
      isInOpenLoop: start > asked,
    };
  });
}

const isOfModel = (step: Step | undefined): boolean =>
  step !== undefined && step.type !== "user_input" && step.type !== "function_result";

const textOf = (content: unknown): string =>
  ((content ?? []) as readonly { readonly text: string }[]).map(({ text }) => text).join("");

const functionCall = ({ id, name, input }: ScriptedCall, cutOff: boolean): Step => ({
  ...{ type: "function_call", id, name },
  arguments: cutOff ? {} : input,
});

function refused(refusal: Refusal): { readonly code: number; readonly status: string; readonly message: string } {
  switch (refusal.kind) {
    case "illegal":
      return { code: 400, status: "INVALID_ARGUMENT", message: refusal.message };
    case "overflow": {
      const message = `The input token count (${refusal.tokens}) exceeds the maximum number of tokens allowed (${refusal.limit}).`;
      return { code: 400, status: "INVALID_ARGUMENT", message };
    }
    case "rate-limit":
      return { code: 429, status: "RESOURCE_EXHAUSTED", message: "Resource has been exhausted (e.g. check quota)." };
    case "server-error":
      return { code: 500, status: "INTERNAL", message: "An internal error has occurred." };
  }
}
