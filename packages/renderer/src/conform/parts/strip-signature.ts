import type { JsonObject, TextPart, ToolCallPart } from "@threadfold/core";
import { isSameModel } from "../../capabilities/capabilities-of.ts";
import { derivation } from "../../neutral/derivation.ts";
import type { FormatRequirements } from "../format-requirements.ts";
import type { PartRepair } from "./part-repair.ts";

/** What a provider puts on texts and calls to prove that it wrote them. */
export type SignatureRequirement = NonNullable<FormatRequirements["signatures"]>;

/** Takes signatures off texts and calls that another model of the provider wrote: they do not hold for this one (W15). */
export const stripSignature: PartRepair<TextPart | ToolCallPart> = {
  name: "strip-signature",
  apply(part, { draft }, { requirements: { signatures }, input, warnings }) {
    const author = draft.message?.model;
    const isForeign = author !== undefined && input.model !== undefined && !isSameModel(author, input.model);
    if (signatures === undefined || !isForeign || !isSigned(part, signatures)) return part;
    warnings.leaveOut("reasoning-left-out", "other-model", draft.chat.sources);
    return unsigned(part, signatures);
  },
};

const isSigned = ({ providerMetadata }: TextPart | ToolCallPart, { provider, fields }: SignatureRequirement): boolean =>
  fields.some((field) => providerMetadata?.[provider]?.[field] !== undefined);

const unsigned = derivation(
  (part: TextPart | ToolCallPart, { provider, fields }: SignatureRequirement): TextPart | ToolCallPart => {
    const metadata: JsonObject = part.providerMetadata?.[provider] ?? {};
    const kept = Object.fromEntries(Object.entries(metadata).filter(([field]) => !fields.includes(field)));
    return { ...part, providerMetadata: { ...part.providerMetadata, [provider]: kept } };
  },
);
