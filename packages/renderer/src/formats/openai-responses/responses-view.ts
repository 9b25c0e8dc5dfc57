import type { HostFields } from "../../input/host-fields.ts";
import { asList, asText, at, isPlainObject, type PlainObject } from "../../legality/legality-rule.ts";
import type { WireReference, WireStep } from "../../legality/pairing.ts";

/** An item and its position. */
export interface PlacedItem {
  readonly item: PlainObject;
  /** Its type; items that only have a role are messages. */
  readonly kind: string;
  readonly index: number;
  /** Its role in the conversation: the model's own, an output that the host sends, or something that is said. */
  readonly side: WireStep["kind"];
}

/** A payload as the rules see it. Built once, without copying any text. */
export interface ResponsesView {
  readonly payload: PlainObject;
  readonly items: readonly PlacedItem[];
  readonly steps: readonly WireStep[];
  /** True when part of the conversation is at the provider, so that calls need not be in the payload. */
  readonly continues: boolean;
  /** The fields `store` and `text.format`, from the payload or as the host declared them. */
  readonly store: unknown;
  readonly responseFormat: unknown;
  /** Name of the model, if the payload names it or the request was rendered for one. */
  readonly model: string | undefined;
}

export function responsesView(payload: unknown, host?: HostFields, told?: string): ResponsesView {
  const body = isPlainObject(payload) ? payload : {};
  const input = typeof body.input === "string" ? [{ role: "user", content: body.input }] : asList(body.input);
  const items = input.map((item, index) => placed(isPlainObject(item) ? item : {}, index));
  const continues = [body.previous_response_id, body.conversation].some((link) => link !== undefined && link !== null);
  return {
    payload: body,
    items,
    steps: stepsOf(items),
    continues: continues || items.some(({ kind }) => kind === "item_reference"),
    // Requests are made for a provider that stores nothing; a host that wants storage overrides our field with its own.
    store: host?.store ?? body.store,
    responseFormat: (isPlainObject(body.text) ? body.text.format : undefined) ?? host?.responseFormat,
    model: asText(body.model) ?? told,
  };
}

function placed(item: PlainObject, index: number): PlacedItem {
  const kind = asText(item.type) ?? (typeof item.role === "string" ? "message" : "");
  return { item, kind, index, side: sideOf(item, kind) };
}

function sideOf({ role, call_id: callId }: PlainObject, kind: string): PlacedItem["side"] {
  if (kind === "message") return role === "assistant" ? "calls" : "speech";
  // A search without an id ran at the provider, in the middle of the answer, as programs do.
  if (kind === "program_output" || (kind === SEARCH_OUTPUT && asText(callId) === undefined)) return "calls";
  if (kind.endsWith("_output") || kind === "mcp_approval_response") return "results";
  return FROM_HOST.includes(kind) ? "speech" : "calls";
}

/** Items that the host writes; the model may write items of any further kind, because newer ones add some. */
const FROM_HOST: readonly string[] = [
  ...["", "item_reference", "additional_tools", "configuration_update", "compaction_trigger"],
];

const SEARCH_CALL = "tool_search_call";
const SEARCH_OUTPUT = "tool_search_output";
const LOCAL_SHELL_CALL = "local_shell_call";
const LOCAL_SHELL_OUTPUT = "local_shell_call_output";

/** The kind of item that each kind of output must answer. Other calls are run and answered at the provider. */
const CALL_OF: Readonly<Record<string, string>> = {
  function_call_output: "function_call",
  custom_tool_call_output: "custom_tool_call",
  computer_call_output: "computer_call",
  shell_call_output: "shell_call",
  apply_patch_call_output: "apply_patch_call",
  [LOCAL_SHELL_OUTPUT]: LOCAL_SHELL_CALL,
  [SEARCH_OUTPUT]: SEARCH_CALL,
};
const CALLS: readonly string[] = Object.values(CALL_OF);

/** Checks whether the host must answer, or did: a search that the provider ran itself names no call. */
const isOfHost = ({ kind, item }: PlacedItem): boolean =>
  (kind !== SEARCH_CALL && kind !== SEARCH_OUTPUT) || asText(item.call_id) !== undefined;

export const isCall = (one: PlacedItem): boolean => CALLS.includes(one.kind) && isOfHost(one);
export const isOutput = (one: PlacedItem): boolean => Object.hasOwn(CALL_OF, one.kind) && isOfHost(one);
/** Checks whether an output may answer this kind of call. A local shell may be answered as if it were a function. */
export const answers = ({ kind }: PlacedItem, call: string): boolean =>
  CALL_OF[kind] === call || (call === LOCAL_SHELL_CALL && kind === "function_call_output");
/** Returns the id of a call, or of the call that an output answers. */
export const callIdOf = ({ item, kind }: PlacedItem): string | undefined =>
  asText(item.call_id) ?? (kind === LOCAL_SHELL_OUTPUT ? asText(item.id) : undefined);

/** Groups consecutive items of one side into one step. */
function stepsOf(items: readonly PlacedItem[]): readonly WireStep[] {
  const steps: { readonly kind: WireStep["kind"]; readonly references: WireReference[] }[] = [];
  for (const one of items) {
    const open = steps.at(-1);
    const step = open?.kind === one.side ? open : { kind: one.side, references: [] };
    if (step !== open) steps.push(step);
    if (isCall(one) || isOutput(one)) step.references.push({ id: callIdOf(one) ?? "", place: at(one.index) });
  }
  return steps;
}

/** Returns how many parts of the neutral request an item represents. */
export function partsOf({ item, kind }: PlacedItem): number {
  return kind === "message" && Array.isArray(item.content) ? item.content.length : 1;
}
