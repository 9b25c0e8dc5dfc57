import {
  type AgentThread,
  type CompactionPlan,
  type KeptEnds,
  type PinId,
  type PlanVerifier,
  renderSummary,
  type ViewEntry,
  viewThread,
  visibleText,
} from "@threadfold/core";
import { countingTokenizer } from "@threadfold/core/laws";

const tokenizer = countingTokenizer();

/** Stands in for a renderer: counts what the view shows and looks for the pins in it. For tests. */
export function viewVerifier(thread: AgentThread): PlanVerifier {
  const measure = (plan: CompactionPlan): number =>
    viewThread(thread, plan).reduce((sum, entry) => sum + entryTokens(entry), 0);
  return {
    measure,
    verify(plan) {
      const tokens = measure(plan);
      const breakdown = {
        system: 0,
        tools: 0,
        pins: 0,
        summaries: 0,
        pointers: 0,
        kept: tokens,
        rehydrated: 0,
        overhead: 0,
      };
      return { tokens, breakdown, violations: [], missingPins: missingPins(thread, plan) };
    },
  };
}

/** Live pins that the view shows neither at their source nor among its pins. */
export function missingPins(thread: AgentThread, plan: CompactionPlan): readonly PinId[] {
  const view = viewThread(thread, plan);
  const texts = view.flatMap((entry) => {
    if (entry.type === "message") return [visibleText(entry.message)];
    if (entry.type === "cleared") return entry.record.targets.includes("text") ? [] : [visibleText(entry.message)];
    return entry.type === "pins" ? entry.pins.map((pin) => pin.text) : [];
  });
  return thread.livePins.filter((pin) => !texts.some((text) => text.includes(pin.text))).map((pin) => pin.id);
}

function entryTokens(entry: ViewEntry): number {
  switch (entry.type) {
    case "message":
      return tokenizer.countMessage(entry.message);
    case "summary":
      return tokenizer.countTokens(renderSummary(entry.record.summary)) + 15;
    case "pins":
      return entry.pins.reduce((sum, pin) => sum + tokenizer.countTokens(pin.text), 10);
    case "cleared":
      return 40 + keptTokens(entry.record.keep);
    case "externalized-body":
      return 40 + keptTokens(entry.record.preview);
    default:
      return 40;
  }
}

const keptTokens = (keep: KeptEnds | undefined): number =>
  keep === undefined ? 0 : Math.ceil((keep.headCharacters + keep.tailCharacters) / 4);
