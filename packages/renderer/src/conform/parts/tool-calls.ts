import type { JsonValue, ToolCallPart } from "@threadfold/core";
import { acceptedToolName } from "../../capabilities/format-requirements.ts";
import { derivation } from "../../input/derivation.ts";
import { isFreeTextCall } from "../../neutral/draft.ts";
import type { PartRepair } from "./part-repair.ts";

/**
 * Makes the arguments of every call an object: what is not one, or was never valid JSON, stands in one under `_raw`
 * (W19).
 */
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

/** Changes the tool's name in a call to one that the provider accepts: the same one that its definition gets. */
export const renameTool: PartRepair<ToolCallPart> = {
  name: "rename-tool",
  apply(part, { draft }, { requirements, warnings }) {
    const name = acceptedToolName(part.toolName, requirements.toolNames);
    if (name === part.toolName) return part;
    warnings.named("tool-renamed", [`${part.toolName} → ${name}`], draft.chat.sources);
    return renamed(part, name);
  },
};

const renamed = derivation((part: ToolCallPart, toolName: string): ToolCallPart => ({ ...part, toolName }));
