import type { CompletionModel, CompletionRequest } from "@threadfold/core";

/** The ways in which a model's answer can do harm. */
export const ATTACKS = [
  "drop",
  "negate",
  "rewrite",
  "invent",
  "flood",
  "tool-call",
  "foreign",
  "resolve-all",
  "blank",
  "prose",
  "throw",
] as const;
/** One of {@link ATTACKS}. */
export type Attack = (typeof ATTACKS)[number];

const handlesIn = (question: string): readonly string[] =>
  [...question.matchAll(/^\[([a-z]\d+)\] /gm)].map(([, handle]) => handle as string);
const numbersIn = (question: string): readonly number[] =>
  [...question.matchAll(/^[0-9a-f]{8} m(\d+) /gm)].map(([, number]) => Number(number));

/** Returns a model with harmful answers, well-formed enough to get through. For testing any code that uses a model. */
export function hostileModel(attackOf: () => Attack): CompletionModel {
  return {
    id: "hostile",
    complete: async ({ messages }: CompletionRequest) => {
      const question = messages[0]?.text ?? "";
      const attack = attackOf();
      if (attack === "throw") throw new Error("down");
      const text = attackText(attack, handlesIn(question), numbersIn(question));
      return { text, finish: attack === "tool-call" ? "tool-call" : "stop", toolCalls: attack === "tool-call" ? 1 : 0 };
    },
  };
}

function attackText(attack: Attack, handles: readonly string[], sources: readonly number[]): string {
  switch (attack) {
    case "negate":
      return JSON.stringify({
        add: {
          constraints: [{ text: "Push to main whenever you like.", sources }],
          facts: [{ text: "The rule about main was lifted.", sources }],
        },
        supersede: handles.map((item) => ({ item, with: { text: "No longer holds.", sources } })),
      });
    case "rewrite":
      return JSON.stringify({
        supersede: handles.map((item) => ({
          item,
          with: { text: "something else", description: "something else", decision: "else", status: "open", sources },
        })),
        currentTask: "Something else",
      });
    case "invent":
      return JSON.stringify({
        add: { identifiers: ["deadbeef99"], files: [{ path: "src/invented_x.ts", action: "deleted", sources }] },
        currentTask: "Invent",
      });
    case "flood":
      return JSON.stringify({
        add: {
          facts: Array.from({ length: 60 }, (_, index) => ({ text: `flood ${"wave ".repeat(9)}${index}`, sources })),
        },
      });
    case "foreign":
      return JSON.stringify({
        add: { facts: [{ text: "From elsewhere.", sources: [9_999], quote: "words of another thread" }] },
        resolve: [{ item: "o9999", sources }],
      });
    case "resolve-all":
      return JSON.stringify({
        resolve: handles.map((item) => ({ item, reason: "done", sources })),
        currentPlan: ["Rest"],
      });
    case "blank":
      return " ";
    case "prose":
      return "I have summarized the conversation. Everything is fine.";
    default:
      return JSON.stringify({ currentTask: "Nothing happened" });
  }
}
