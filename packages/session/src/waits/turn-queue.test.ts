import { describe, expect, it } from "vitest";
import { SerialQueue } from "./turn-queue.ts";

describe("SerialQueue", () => {
  it("runs one task after the other and goes on after one that fails", async () => {
    const queue = new SerialQueue();
    const seen: string[] = [];
    const task = (name: string) => async () => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      seen.push(`${name} ends`);
      if (name === "b") throw new Error(name);
      return name;
    };
    const results = await Promise.allSettled(["a", "b", "c"].map((name) => queue.run(task(name))));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });
});
