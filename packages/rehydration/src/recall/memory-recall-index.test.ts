import { recallLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { MemoryRecallIndex } from "./memory-recall-index.ts";

describe("recall in memory", () => {
  for (const law of recallLaws)
    it(law.name, async () => expect(await law.broken(new MemoryRecallIndex(), async () => undefined)).toBeNull());
});
