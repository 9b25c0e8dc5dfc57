import { importSession } from "@threadfold/importers";
import { createMemoryStore } from "@threadfold/stores";
import { expect, it } from "vitest";
import { keepSource, SOURCE_MEDIA_TYPE } from "./import-source.ts";

const LOG = [
  '{"type":"session","id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/repo"}',
  '{"type":"message","timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"hello"}]}}',
  '{"type":"message", this line is broken',
].join("\n");

it("keeps the source whole, malformed lines included, once however often it is kept", async () => {
  const imported = await importSession(new TextEncoder().encode(LOG));
  const store = createMemoryStore();
  await store.threads.append(
    imported.threadId,
    imported.messages.map((message) => ({ type: "message", message })),
    { expectedVersion: "no-thread" },
  );
  const clock = { now: () => 0 };
  const id = await keepSource(store, imported, clock);
  expect(await keepSource(store, imported, clock)).toBe(id);
  const kept = await store.artifacts.retrieve(id);
  expect(kept?.content).toBe(LOG);
  expect(kept?.metadata.mediaType).toBe(SOURCE_MEDIA_TYPE);
});
