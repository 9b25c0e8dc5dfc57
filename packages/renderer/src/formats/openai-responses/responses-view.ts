import type { HostFields } from "../../input/host-fields.ts";
import { asList, asText, at, isPlainObject, type PlainObject } from "../../legality/legality-rule.ts";
import type { WireReference, WireStep } from "../../legality/pairing.ts";

/** An item and where it stands. */
export interface PlacedItem {
  readonly item: PlainObject;
  /** Its type; items that only have a role are messages. */
  readonly kind: string;
  readonly index: number;
  /** What it is to the conversation: the model's own, an output that the host sends, or what somebody says. */
  readonly side: WireStep["kind"];
}

/** A payload as the rules see it. Built once; holds no copy of any text. */
export interface ResponsesView {
  readonly payload: PlainObject;
  readonly items: readonly PlacedItem[];
  readonly steps: readonly WireStep[];
  /** True when part of the conversation is at the provider, so that calls need not stand in the payload. */
  readonly continues: boolean;
  /** The fields `store` and `text.format`, from the payload or as the host told them. */
  readonly store: unknown;
  readonly responseFormat: unknown;
}

export function responsesView(payload: unknown, host?: HostFields): ResponsesView {
  const body = isPlainObject(payload) ? payload : {};
  const input = typeof body.input === "string" ? [{ role: "user", content: body.input }] : asList(body.input);
  const items = input.map((item, index) => placed(isPlainObject(item) ? item : {}, index));
  const continues = [body.previous_response_id, body.conversation].some((link) => link !== undefined && link !== null);
  return {
    payload: body,
    items,
    steps: stepsOf(items),
    continues: continues || items.some(({ kind }) => kind === "item_reference"),
    // Requests are made for a provider that stores nothing; a host that wants it puts its own field over that.
    store: host?.store ?? body.store,
    responseFormat: (isPlainObject(body.text) ? body.text.format : undefined) ?? host?.responseFormat,
  };
}

function placed(item: PlainObject, index: number): PlacedItem {
  const kind = asText(item.type) ?? (typeof item.role === "string" ? "message" : "");
  return { item, kind, index, side: sideOf(item, kind) };
}

function sideOf({ role }: PlainObject, kind: string): PlacedItem["side"] {
  if (kind === "message") return role === "assistant" ? "calls" : "speech";
  if (kind.endsWith("_output") || kind === "mcp_approval_response") return "results";
  const isOwn = kind.endsWith("_call") || OWN.includes(kind);
  return isOwn ? "calls" : "speech";
}

const OWN: readonly string[] = ["reasoning", "mcp_list_tools", "mcp_approval_request", "compaction"];

/** The items that an output must answer. Other calls are run and answered at the provider. */
const CALLS: readonly string[] = [
  "function_call",
  "custom_tool_call",
  "computer_call",
  "shell_call",
  "apply_patch_call",
];
export const isCall = ({ kind }: PlacedItem): boolean => CALLS.includes(kind);
export const isOutput = ({ kind }: PlacedItem): boolean => CALLS.some((call) => kind === `${call}_output`);

/** Items of one side that follow each other are one step. */
function stepsOf(items: readonly PlacedItem[]): readonly WireStep[] {
  const steps: { readonly kind: WireStep["kind"]; readonly references: WireReference[] }[] = [];
  for (const one of items) {
    const open = steps.at(-1);
    const step = open?.kind === one.side ? open : { kind: one.side, references: [] };
    if (step !== open) steps.push(step);
    if (isCall(one) || isOutput(one))
      step.references.push({ id: asText(one.item.call_id) ?? "", place: at(one.index) });
  }
  return steps;
}

/** How many parts of the neutral request an item stands for. */
export function partsOf({ item, kind }: PlacedItem): number {
  return kind === "message" && Array.isArray(item.content) ? item.content.length : 1;
}
