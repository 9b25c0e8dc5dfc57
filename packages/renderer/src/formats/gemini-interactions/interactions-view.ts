import { asList, asText, at, isPlainObject, type PlainObject } from "../../legality/legality-rule.ts";
import type { WireReference, WireStep } from "../../legality/pairing.ts";

/** A step and its position. */
export interface PlacedStep {
  readonly step: PlainObject;
  readonly kind: string;
  readonly index: number;
  /** Its texts and media. */
  readonly content: readonly PlainObject[];
}

/** A payload as the rules see it. Built once, without copying any text. */
export interface InteractionsView {
  readonly payload: PlainObject;
  readonly placed: readonly PlacedStep[];
  readonly steps: readonly WireStep[];
  /** Name of the model, if the payload names it or the request was rendered for one. */
  readonly model: string | undefined;
}

export function interactionsView(payload: unknown, told?: string): InteractionsView {
  const body = isPlainObject(payload) ? payload : {};
  const input =
    typeof body.input === "string" ? [{ type: "user_input", content: textOf(body.input) }] : asList(body.input);
  const placed = input.map((step, index) => placedStep(isPlainObject(step) ? step : {}, index));
  return { payload: body, placed, steps: stepsOf(placed), model: asText(body.model) ?? told };
}

const textOf = (text: string) => [{ type: "text", text }];

function placedStep(step: PlainObject, index: number): PlacedStep {
  const content = asList(step.content).map((block) => (isPlainObject(block) ? block : {}));
  return { step, kind: asText(step.type) ?? "", index, content };
}

const sideOf = ({ kind }: PlacedStep): WireStep["kind"] => {
  if (kind === "user_input") return "speech";
  return kind === "function_result" ? "results" : "calls";
};

/** Groups consecutive steps of one side; steps of the provider's own tools belong to the model. */
function stepsOf(placed: readonly PlacedStep[]): readonly WireStep[] {
  const steps: { readonly kind: WireStep["kind"]; readonly references: WireReference[] }[] = [];
  for (const one of placed) {
    const kind = sideOf(one);
    const last = steps.at(-1);
    const open = last?.kind === kind ? last : { kind, references: [] };
    if (open !== last) steps.push(open);
    const id =
      one.kind === "function_call" ? one.step.id : one.kind === "function_result" ? one.step.call_id : undefined;
    if (id !== undefined)
      open.references.push({ id: asText(id) ?? "", place: at(one.index), name: asText(one.step.name) });
  }
  return steps;
}

/** Returns how many parts of the neutral request a step represents. */
export const partsOf = ({ kind, content }: PlacedStep): number =>
  kind === "user_input" || kind === "model_output" ? content.length : 1;
