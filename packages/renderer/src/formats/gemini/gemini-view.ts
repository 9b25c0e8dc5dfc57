import { asList, asText, at, isPlainObject, type Place, type PlainObject } from "../../legality/legality-rule.ts";
import type { WireReference, WireStep } from "../../legality/pairing.ts";

/** A part and its position. */
export interface PlacedPart {
  readonly part: PlainObject;
  readonly content: number;
  readonly index: number;
}

/** One turn of one side. */
interface PlacedContent {
  readonly role: unknown;
  readonly index: number;
  readonly isModel: boolean;
  readonly parts: readonly PlacedPart[];
  readonly calls: readonly PlacedPart[];
  readonly responses: readonly PlacedPart[];
}

/**
 * A payload as the rules see it, in the wire format or as Google's SDK takes it. Built once, without copying any text.
 */
export interface GeminiView {
  readonly contents: readonly PlacedContent[];
  readonly steps: readonly WireStep[];
  readonly declarations: readonly { readonly declaration: PlainObject; readonly path: string }[];
  /** Name of the model, from the payload or as the request was rendered for. */
  readonly model: string | undefined;
}

/**
 * @param told the model that the request was rendered for, used if the payload does not name one.
 */
export function geminiView(payload: unknown, told?: string): GeminiView {
  const body = isPlainObject(payload) ? payload : {};
  const config = isPlainObject(body.config) ? body.config : {};
  const list = typeof body.contents === "string" ? [{ parts: [{ text: body.contents }] }] : asList(body.contents);
  const contents = list.map((content, index) => placed(isPlainObject(content) ? content : {}, index));
  return {
    contents,
    steps: stepsOf(contents),
    declarations: [...declarationsIn(body.tools, "$.tools"), ...declarationsIn(config.tools, "$.config.tools")],
    model: asText(body.model) ?? told,
  };
}

function placed({ role = "user", parts: list }: PlainObject, content: number): PlacedContent {
  const parts = asList(list).map((part, index) => ({ part: isPlainObject(part) ? part : {}, content, index }));
  return {
    role,
    index: content,
    isModel: role === "model",
    parts,
    calls: parts.filter(({ part }) => isPlainObject(part.functionCall)),
    responses: parts.filter(({ part }) => isPlainObject(part.functionResponse)),
  };
}

function declarationsIn(tools: unknown, path: string): GeminiView["declarations"] {
  return asList(tools).flatMap((tool, place) =>
    asList(isPlainObject(tool) ? tool.functionDeclarations : undefined).map((declaration, index) => ({
      declaration: isPlainObject(declaration) ? declaration : {},
      path: `${path}[${place}].functionDeclarations[${index}]`,
    })),
  );
}

export const placeOf = ({ content, index }: PlacedPart, field?: string): Place => at(content, index, field);

/**
 * Treats consecutive responses as one step, so that a split turn of responses is reported once rather than many times.
 */
function stepsOf(contents: readonly PlacedContent[]): readonly WireStep[] {
  const byId = contents.every(({ calls, responses }) =>
    [...calls, ...responses].every(({ part }) => idOf(part) !== undefined),
  );
  const steps: WireStep[] = [];
  let responses: readonly PlacedPart[] = [];
  const flush = (): void => {
    if (responses.length > 0) steps.push({ kind: "results", references: references(responses, byId) });
    responses = [];
  };
  for (const content of contents) {
    const speaks = !content.isModel && content.responses.length < content.parts.length;
    if (content.isModel) {
      flush();
      steps.push({ kind: "calls", references: references(content.calls, byId) });
    }
    responses = [...responses, ...content.responses];
    if (!speaks) continue;
    flush();
    steps.push({ kind: "speech" });
  }
  flush();
  return steps;
}

/**
 * Identifies calls and responses by id if all have one; else by name, in order: the first response of a name answers
 * the first call.
 */
function references(parts: readonly PlacedPart[], byId: boolean): readonly WireReference[] {
  const uses = new Map<string, number>();
  return parts.map((placedPart) => {
    const place = placeOf(placedPart);
    const name = asText(holderOf(placedPart.part).name);
    if (byId) return { id: idOf(placedPart.part) ?? "", place, name };
    const use = uses.get(name ?? "") ?? 0;
    uses.set(name ?? "", use + 1);
    return { id: `${name ?? ""} ${use}`, place };
  });
}

const idOf = (part: PlainObject): string | undefined => asText(holderOf(part).id);

function holderOf({ functionCall, functionResponse }: PlainObject): PlainObject {
  const holder = isPlainObject(functionCall) ? functionCall : functionResponse;
  return isPlainObject(holder) ? holder : {};
}
