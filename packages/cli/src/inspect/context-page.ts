import { count, figure, type Page, percent, plainText, singleLine, table, wrap } from "../output/page.ts";
import { type ContextBlock, type ContextData, SHARE_NAMES } from "./context-data.ts";

/** Maximum number of blocks that are shown; the rest are only counted. `--json` has all of them. */
const MOST_BLOCKS = 30;
const BAR = 24;

/** Returns what a call saw, as text for a person. */
export function contextPage(data: ContextData, page: Page): string {
  const sections = [heading(data, page), shares(data, page), difference(data, page), blocks(data, page)];
  return sections.map((lines) => lines.join("\n")).join("\n\n");
}

function heading({ threadId, title, call, calls, at, format, model, planVersion, ...data }: ContextData, page: Page) {
  const { input, missed, replay, digest, notFolded } = data;
  const reported = input.reported ? "as reported by the provider" : "by the provider's published rules";
  const price = input.dollars === null ? `${figure(input.cost)} input tokens' worth` : `$${input.dollars.toFixed(4)}`;
  const bytes = replay === "equal" ? page.paint("green", "reproduced byte for byte") : page.paint("red", replay);
  const named = title === null ? threadId : `${title} (${threadId})`;
  return [
    `${page.paint("bold", plainText(named))}: call ${figure(call)} of ${figure(calls)}, plan ${planVersion}`,
    `  ${at} · ${plainText(format)}${model === null ? "" : ` · ${plainText(model)}`}`,
    `  ${figure(input.cached)} read from the cache, ${figure(input.written)} written, ${figure(input.fresh)} fresh, ${reported}: ${price}`,
    ...(missed.cause === "none" ? [] : [`  ${figure(missed.tokens)} could have been read: ${missed.cause}`]),
    ...data.beside.map((asked) => `  before it, ${askedWords(asked)}`),
    ...notFolded.map(({ outcome, veto }) => `  a fold was due but made no plan: ${outcome}${vetoWords(veto)}`),
    `  sha256 ${digest.slice(0, 12)} · ${bytes}`,
  ];
}

function askedWords({ by, calls, inputTokens, cacheReadTokens, outputTokens, reported, dollars }: Asked): string {
  const what = by === "provider" ? "a compaction by the provider" : `${count(calls, "call")} for summaries`;
  const cached = cacheReadTokens === undefined ? "" : ` (${figure(cacheReadTokens)} of them cached)`;
  const counted = reported === false ? ", an estimate, because no usage was reported" : "";
  const price = dollars === null ? "" : `: $${dollars.toFixed(4)}`;
  return `${what} took ${figure(inputTokens)} tokens in${cached} and ${figure(outputTokens)} out${counted}${price}`;
}

type Asked = ContextData["beside"][number];

const vetoWords = (veto: ContextData["notFolded"][number]["veto"]): string =>
  veto === null ? "" : ` by ${plainText(veto.hook)}${veto.reason === "" ? "" : `: ${singleLine(veto.reason, 120)}`}`;

function shares({ shares: parts, tokens, limit, estimated }: ContextData, { paint }: Page): readonly string[] {
  const shown = SHARE_NAMES.filter((name) => parts[name] > 0);
  const rows = shown.map((name) => {
    const bar = "█".repeat(Math.max(1, Math.round((parts[name] / Math.max(1, tokens)) * BAR)));
    return [name, figure(parts[name]), percent(parts[name], tokens), bar];
  });
  const total = [
    ["total", figure(tokens), "", ""],
    ...(estimated === tokens ? [] : [["as the provider counts", figure(estimated), "", ""]]),
    ...(limit === null ? [] : [["free", figure(limit - estimated), "", `of ${figure(limit)}`]]),
  ];
  const lines = table([...rows, ...total], ["left", "right", "right", "left"]);
  return [paint("bold", "What takes up the room, in tokens"), ...lines.map((line) => `  ${line}`)];
}

function difference({ difference: found, call }: ContextData, { paint, columns }: Page): readonly string[] {
  const title = paint("bold", "Difference from the previous call");
  if (found === null)
    return [title, call === 1 ? "  none: this is the first call" : "  none: it begins with the whole previous call"];
  const { block, byte, reason, lostTokens, missedTokens, price } = found;
  const where = byte === null ? `block ${block}` : `byte ${figure(byte)}, block ${block}`;
  const text = `from ${where} on: ${plainText(reason)}. ${count(lostTokens, "token")} cached for the previous call can no longer be used; ${figure(missedTokens)} were paid for again, ${figure(price)} more than reading them.`;
  return [title, ...wrap(text, columns - 2).map((line) => `  ${line}`)];
}

function blocks({ blocks: all, folded }: ContextData, page: Page): readonly string[] {
  const seen = all.filter(({ tokens }) => tokens > 0);
  const shown = seen.slice(0, MOST_BLOCKS);
  const rows = shown.map((block) => [block.shared ? "same" : "new", block.action, figure(block.tokens), named(block)]);
  const more = seen.length - shown.length;
  const lines = table(rows, ["left", "left", "right", "left"]).map((line) => `  ${line.slice(0, page.columns - 2)}`);
  const title = `What the model saw, in ${count(seen.length, "block")}; ${count(folded, "message")} not in full`;
  return [page.paint("bold", title), ...lines, ...(more > 0 ? [`  … and ${more} more; --json has them all`] : [])];
}

function named({ from, to, reason, role }: ContextBlock): string {
  if (from === null) return role;
  const span = from === to ? plainText(from) : `${plainText(from)} … ${plainText(to ?? "")}`;
  return reason === null ? `${role} ${span}` : `${role} ${span}: ${singleLine(reason, 60)}`;
}
