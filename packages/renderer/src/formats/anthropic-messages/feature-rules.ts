import { asList, asText, type Finding, isPlainObject, type LegalityRule } from "../../legality/legality-rule.ts";
import { type AnthropicView, type PlacedBlock, placeOf } from "./anthropic-view.ts";

/** What may be cited, and whether it is to be: documents and search results of user messages and of results. */
interface Citable {
  readonly placed: PlacedBlock;
  readonly field: string | undefined;
  readonly isCited: boolean;
}

const CITABLE: readonly unknown[] = ["document", "search_result"];

function citablesOf(view: AnthropicView): readonly Citable[] {
  const citable = (block: unknown, placed: PlacedBlock, field?: string): readonly Citable[] =>
    isPlainObject(block) && CITABLE.includes(block.type)
      ? [{ placed, field, isCited: isPlainObject(block.citations) && block.citations.enabled === true }]
      : [];
  const inResults = view
    .blocksOf("tool_result")
    .flatMap((placed) =>
      asList(placed.block.content).flatMap((inner, index) => citable(inner, placed, `content[${index}]`)),
    );
  const said = [...view.blocksOf("document"), ...view.blocksOf("search_result")];
  const all = [...said.flatMap((placed) => citable(placed.block, placed)), ...inResults];
  return all.sort((a, b) => a.placed.ordinal - b.placed.ordinal);
}

export const citations: LegalityRule<AnthropicView> = {
  id: "citations",
  description:
    "Citations are on for every document and search result of a request or for none, and for none where the answer has a form.",
  reference: "Images/docs",
  find(view) {
    const citables = citablesOf(view);
    const [first] = citables;
    const found = (problem: string, wrong: Citable | undefined): readonly Finding[] =>
      wrong === undefined ? [] : [{ place: placeOf(wrong.placed, wrong.field), problem }];
    const mixed = citables.find(({ isCited }) => isCited !== first?.isCited);
    if (mixed !== undefined) return found("citations are on for some documents and off for others", mixed);
    const hasForm = isPlainObject(view.responseFormat);
    return found("citations are on while the answer has a form", hasForm && first?.isCited ? first : undefined);
  },
};

/** What the API takes only together with a beta feature, by how the feature's name begins. */
const FEATURES: Readonly<Record<string, string>> = {
  compaction: "compact-",
  mcp_tool_use: "mcp-client-",
  mcp_tool_result: "mcp-client-",
};

/** Only the host knows what it asks for; this is judged where the payload says so or the host told it. */
export const betaFeatures: LegalityRule<AnthropicView> = {
  id: "beta-features",
  description:
    "A request with compaction blocks, or with calls of MCP servers, asks for the beta feature that they belong to.",
  reference: "Compaction objects",
  find({ betas, blocks }) {
    if (!Array.isArray(betas)) return [];
    return blocks.flatMap((placed) => {
      const feature = FEATURES[asText(placed.block.type) ?? ""];
      if (feature === undefined || betas.some((name) => asText(name)?.startsWith(feature))) return [];
      return [{ place: placeOf(placed), problem: `no beta feature ${feature}… is asked for` }];
    });
  },
};
