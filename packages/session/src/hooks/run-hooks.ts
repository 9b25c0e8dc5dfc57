import { type CompactionCause, type ContextCompactionEvent, ThreadfoldError, withinLimit } from "@threadfold/core";
import { problemOf } from "../events/problem-of.ts";
import type { Hook, HookMatcher, PreCompactInput, PreCompactRuling, SessionHooks } from "./session-hooks.ts";

const DEFAULT_TIMEOUT = 60_000;

export type HookMoment = Extract<ContextCompactionEvent, { readonly type: "compaction_hook_failed" }>["moment"];

/** What a hook's failure is told to. */
export type HookFailure = (hook: string, moment: HookMoment, problem: string) => void;

/** How hooks are run for one fold. */
export interface HookRun {
  readonly cause: CompactionCause;
  readonly timeoutMilliseconds: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onFailure: HookFailure;
}

/**
 * Calls the hooks that match, one after the other, and hands each result to `take`. A hook that throws, takes too long or
 * gives what `take` refuses is told of and passed over. Ends early when `take` gives true.
 */
export async function runHooks<Input, Result>(
  hooks: readonly Hook<Input, Result>[] = [],
  moment: HookMoment,
  { cause, timeoutMilliseconds = DEFAULT_TIMEOUT, signal, onFailure }: HookRun,
  input: (signal: AbortSignal) => Input,
  take: (result: NonNullable<Result>, hook: string) => unknown = () => undefined,
): Promise<void> {
  for (const hook of hooks) {
    if (!matches(hook.matcher, cause)) continue;
    try {
      const result = await withinLimit((either) => hook.run(input(either)), {
        ...{ milliseconds: timeoutMilliseconds, waitedFor: `the hook ${hook.name}`, timers: globalThis },
        ...{ option: "hooks.timeoutMilliseconds", ...(signal !== undefined && { signal }) },
      });
      if (result !== undefined && result !== null && (await take(result, hook.name)) === true) return;
    } catch (cause) {
      if (signal?.aborted === true) return;
      onFailure(hook.name, moment, problemOf(cause));
    }
  }
}

/** What the pre-compact hooks want together. */
export interface CombinedRuling {
  readonly veto: { readonly hook: string; readonly reason: string } | null;
  readonly pins: NonNullable<PreCompactRuling["pins"]>;
  readonly instructions: readonly string[];
  readonly summary: { readonly hook: string; readonly summary: NonNullable<PreCompactRuling["summary"]> } | null;
}

/** Asks the pre-compact hooks. */
export async function preCompactRuling(
  hooks: SessionHooks,
  run: HookRun,
  input: Omit<PreCompactInput, "signal">,
): Promise<CombinedRuling> {
  let ruling: CombinedRuling = { veto: null, pins: [], instructions: [], summary: null };
  await runHooks(
    hooks.preCompact,
    "pre-compact",
    run,
    (signal) => ({ ...input, signal }),
    (added, hook) => {
      ruling = combine(ruling, checked(added), hook);
      return ruling.veto !== null;
    },
  );
  return ruling;
}

function combine(before: CombinedRuling, added: PreCompactRuling, hook: string): CombinedRuling {
  const { veto, pins = [], instructions, summary } = added;
  return {
    veto: veto === undefined ? null : { hook, reason: veto },
    pins: [...before.pins, ...pins],
    instructions: instructions === undefined ? before.instructions : [...before.instructions, instructions],
    summary: summary === undefined ? before.summary : { hook, summary },
  };
}

function checked(ruling: PreCompactRuling): PreCompactRuling {
  const { veto, pins = [], instructions, summary } = ruling;
  const isText = (value: unknown): boolean => value === undefined || typeof value === "string";
  if (!isText(veto)) throw wrong("veto", "a text that says why");
  if (!isText(instructions)) throw wrong("instructions", "a text");
  if (!Array.isArray(pins) || !pins.every((pin) => typeof pin?.text === "string" && pin.text.trim() !== ""))
    throw wrong("pins", "a list of { text } that are not blank");
  if (typeof summary !== "function" && (!isText(summary) || summary?.trim() === ""))
    throw wrong("summary", "a text that is not blank, or a function");
  return ruling;
}

const wrong = (field: string, expected: string): ThreadfoldError =>
  new ThreadfoldError("INVALID_CONFIG", `${field}: a pre-compact hook gives ${expected}.`);

const matches = (matcher: HookMatcher | undefined, cause: CompactionCause): boolean =>
  matcher === undefined || (typeof matcher === "string" ? matcher === cause : matcher.includes(cause));
