import type { ThreadfoldStore } from "@threadfold/core";
import { createMemoryStore } from "@threadfold/stores";
import type { ProxiedTurn } from "../exchange.ts";
import { type ProxyOptions, type RunningProxy, startProxy } from "../start-proxy.ts";
import type { ScriptedUpstream } from "./scripted-upstream.ts";

/** A proxy in front of a scripted upstream, with what it reported. */
export interface StartedProxy extends AsyncDisposable {
  readonly proxy: RunningProxy;
  readonly store: ThreadfoldStore;
  readonly turns: readonly ProxiedTurn[];
  readonly problems: readonly unknown[];
}

export async function startedProxy(
  { url }: Pick<ScriptedUpstream, "url">,
  { store = createMemoryStore(), ...options }: Partial<ProxyOptions> = {},
): Promise<StartedProxy> {
  const turns: ProxiedTurn[] = [];
  const problems: unknown[] = [];
  const proxy = await startProxy({
    store,
    upstream: { anthropic: url, openai: `${url}/v1` },
    onTurn: (turn) => turns.push(turn),
    onProblem: (error) => problems.push(error),
    ...options,
  });
  return { proxy, store, turns, problems, [Symbol.asyncDispose]: () => proxy.close() };
}
