import type { OpaquePart } from "@threadfold/core";
import type { LeftOutReason } from "../../warnings/render-warning.ts";
import type { FormatRequirements } from "../format-requirements.ts";
import type { PartRepair } from "./part-repair.ts";

/** Leaves out opaque items of other providers. Those of this one travel byte for byte. */
export const leaveOutOpaque: PartRepair<OpaquePart> = {
  name: "leave-out-opaque",
  apply(part, { draft }, { requirements, warnings }) {
    const reason = reasonAgainst(part, requirements);
    if (reason === undefined) return part;
    warnings.leaveOut("opaque-left-out", reason, draft.chat.sources);
    return null;
  },
};

function reasonAgainst(
  part: OpaquePart,
  { opaqueFrom, opaqueFields, opaqueTypes, opaqueKeys, opaqueNotBlank = NO_FIELDS }: FormatRequirements,
): LeftOutReason["opaque-left-out"] | undefined {
  if (!opaqueFrom.includes("*") && !opaqueFrom.includes(part.provider)) return "other-provider";
  const value = Object(part.value) as Readonly<Record<string, unknown>>;
  const further = opaqueTypes === undefined ? NO_FIELDS : opaqueTypes[String(value["type"])];
  const isKnown =
    further !== undefined && (opaqueKeys === undefined || opaqueKeys.some((key) => Object.hasOwn(value, key)));
  const isWhole = isKnown && [...opaqueFields, ...further].every((field) => isNamed(value[field]));
  const isBlank = opaqueNotBlank.some((field) => typeof value[field] === "string" && value[field].trim() === "");
  return isWhole && !isBlank ? undefined : "malformed";
}

const NO_FIELDS: readonly string[] = [];
const isNamed = (value: unknown): boolean => typeof value === "string" && value !== "";
