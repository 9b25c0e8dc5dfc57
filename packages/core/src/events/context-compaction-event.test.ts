import { expect, it } from "vitest";
import { tellListener } from "./context-compaction-event.ts";

it("a listener that throws, now or later, breaks nothing and leaves no unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): unknown => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const heard: string[] = [];
  for (const listener of [
    (event: string) => heard.push(event),
    () => {
      throw new Error("now");
    },
    async () => {
      throw new Error("later");
    },
    undefined,
  ])
    tellListener(listener, "event");
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect([heard, unhandled]).toEqual([["event"], []]);
});
