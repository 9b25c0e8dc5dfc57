import type { JsonValue, ToolCallPart } from "@threadfold/core";
import { derivation } from "../../neutral/derivation.ts";
import { isFreeTextCall } from "../../neutral/free-text-call.ts";
import type { PartRepair } from "./part-repair.ts";

/** Gives every call an object as arguments: what is none, or was never valid JSON, stands in one under `_raw` (W19). */
export const wrapToolInput: PartRepair<ToolCallPart> = {
  name: "wrap-tool-input",
  apply(part, { draft }, { requirements, warnings }) {
    if (requirements.freeTextCalls === true && isFreeTextCall(part)) return part;
    if (requirements.toolInput === "any" || (part.invalidInput === undefined && isObject(part.input))) return part;
    if (!saysNothing(part)) warnings.add("tool-input-wrapped", draft.chat.sources);
    return wrapped(part, null);
  },
};

const wrapped = derivation((part: ToolCallPart, _key: null): ToolCallPart => {
  const { invalidInput, ...call } = part;
  return { ...call, input: saysNothing(part) ? {} : { _raw: invalidInput ?? part.input } };
});

/** Calls without arguments are logged with nothing, with null or with an empty text. */
const saysNothing = ({ input, invalidInput }: ToolCallPart): boolean =>
  input === null || (invalidInput ?? input) === "";

const isObject = (value: JsonValue): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
