import type { Inspection } from "@threadfold/inspection";
import { expect, it } from "vitest";
import { serveInspection } from "./serve-inspection.ts";

it("serves what is new while a search is still under way", async () => {
  const started = Promise.withResolvers<void>();
  const found = Promise.withResolvers<unknown>();
  const inspection = {
    goneSearch: () => {
      started.resolve();
      return found.promise;
    },
    growth: () => ({ revision: 7 }),
  } as unknown as Inspection;
  const stop = new AbortController();
  const listening = Promise.withResolvers<string>();
  const serving = serveInspection(
    { inspection, rawLog: () => Promise.reject(new Error("not asked for")) },
    { port: 0, signal: stop.signal, page: "", onListening: listening.resolve, onError: listening.reject },
  );
  const url = await listening.promise;
  const search = fetch(`${url}search-0`);
  await started.promise;
  expect(await (await fetch(`${url}growth-0`)).json()).toEqual({ revision: 7 });
  found.resolve({ message: 0, rank: 1 });
  expect(await (await search).json()).toEqual({ message: 0, rank: 1 });
  stop.abort();
  await serving;
});
