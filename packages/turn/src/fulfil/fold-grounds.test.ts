import type { ThreadShape } from "@threadfold/core";
import type { CompactionProposal } from "@threadfold/strategies";
import { describe, expect, it, vi } from "vitest";
import { type FoldGrounds, settleProposals } from "./fold-grounds.ts";

const durabilities = ["replayable", "ephemeral", "non_replayable", "replayable"] as const;
const shape = { header: (ordinal: number) => ({ durability: durabilities[ordinal] }) } as unknown as ThreadShape;
const base = { strategy: "test", ordinals: [0, 1, 2, 3], estimatedTokensFreed: 1, reason: "a test" };
const ends = { headCharacters: 1, tailCharacters: 1 };

function groundsThat(hold: { readonly replays?: boolean; readonly archive?: boolean } = {}) {
  const look = vi.fn(async (_ordinals: readonly number[]) => hold.replays ?? true);
  const store = vi.fn(async (_ordinals: readonly number[]) => hold.archive ?? true);
  return { look, store, grounds: { replays: { look }, archive: { store } } as unknown as FoldGrounds };
}

describe("settleProposals", () => {
  it.each<[string, CompactionProposal, readonly number[]]>([
    ["whole results", { ...base, action: "clear", targets: ["tool-result"] }, [0, 3]],
    ["the middle of a result", { ...base, action: "clear", targets: ["tool-result"], keep: ends }, []],
    ["reasoning", { ...base, action: "clear", targets: ["reasoning"] }, []],
    ["whole messages", { ...base, action: "drop" }, []],
  ])(
    "checks the sources of replayable results only as far as needed when a fold removes %s",
    async (_what, proposal, looked) => {
      const { look, grounds } = groundsThat();
      expect(await settleProposals([proposal], grounds, shape)).toBe(true);
      expect(look.mock.calls).toEqual([[looked]]);
    },
  );

  it("stores an externalized message only after every replay source is unchanged", async () => {
    const outside: CompactionProposal = { ...base, action: "externalize" };
    const [sure, changed, refused] = [groundsThat(), groundsThat({ replays: false }), groundsThat({ archive: false })];
    expect(await settleProposals([outside], sure.grounds, shape)).toBe(true);
    expect(sure.store.mock.calls).toEqual([[[0]]]);
    expect(await settleProposals([outside], changed.grounds, shape)).toBe(false);
    expect(changed.store).not.toHaveBeenCalled();
    expect(await settleProposals([outside], refused.grounds, shape)).toBe(false);
  });
});
