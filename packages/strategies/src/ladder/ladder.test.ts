import { keepLaws } from "@threadfold/core/laws";
import { describe, it } from "vitest";
import { strategyLaws } from "../laws/strategy-laws.ts";
import { lastTurns, nothing } from "../windows/cut-points.ts";
import { pruneStrategy } from "../windows/prune-strategy.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { clearStrategy } from "./clear-strategy.ts";
import { dropStrategy } from "./drop-strategy.ts";
import { externalizeStrategy } from "./externalize-strategy.ts";
import { summarizeStrategy } from "./summarize-strategy.ts";
import { truncateStrategy } from "./truncate-strategy.ts";

const strategies = [
  externalizeStrategy,
  clearStrategy,
  summarizeStrategy,
  dropStrategy,
  truncateStrategy,
  pruneStrategy({ protectTokens: 60, minimumTokens: 20 }),
  windowStrategy({ name: "summarize-all", cut: nothing, fold: "summarize", keepUserTokens: 40 }),
  windowStrategy({ name: "one-summary", cut: lastTurns(1), fold: "summarize", keepUserTokens: 40, oneSummary: true }),
  windowStrategy({ name: "turn-window", cut: lastTurns(1), fold: "drop" }),
];

for (const strategy of strategies) keepLaws(`${strategy.name} strategy`, strategyLaws(strategy), { describe, it });
