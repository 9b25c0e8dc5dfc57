import { clearStrategy } from "./clear-strategy.ts";
import { dropStrategy } from "./drop-strategy.ts";
import { externalizeStrategy } from "./externalize-strategy.ts";
import { summarizeStrategy } from "./summarize-strategy.ts";
import { truncateStrategy } from "./truncate-strategy.ts";
import { strategyLaws } from "../laws/strategy-laws.ts";

for (const strategy of [externalizeStrategy, clearStrategy, summarizeStrategy, dropStrategy, truncateStrategy]) {
  strategyLaws(strategy);
}
