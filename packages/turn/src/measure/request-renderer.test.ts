import { AgentThread, asThreadId, compactionConfig, emptyPlan, finishSteps, type MessageInput } from "@threadfold/core";
import {
  assistant,
  call,
  countingTokenizer,
  message,
  messageInputs,
  result,
  runs,
  text,
  tool,
} from "@threadfold/core/laws";
import { FORMAT_NAMES, formatById } from "@threadfold/renderer";
import { durabilityPolicy } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMPTY_FRAME } from "./request-frame.ts";
import { RequestRenderer } from "./request-renderer.ts";
import { threadState } from "./thread-state.ts";

const work = (from: number, count: number): readonly MessageInput[] =>
  Array.from({ length: count }, (_, index) => from + index).flatMap((at) => [
    ...(at % 100 === 0 ? [message(`u${at}`, "user", `Question ${at}?`)] : []),
    assistant(`a${at}`, [text(`Looking at ${at}.`), call(`c${at}`, "bash", { command: `cat ${at}` })]),
    tool(`r${at}`, [result(`c${at}`, `Line ${at}`, { toolName: "bash" })]),
  ]);

const durability = durabilityPolicy(compactionConfig({}));
const formats = FORMAT_NAMES.map((name) => formatById(name));

describe("a rendering that catches up with its thread in steps", () => {
  it("P9: is the one that is made at once, also where messages break every rule", () => {
    let steps = 0;
    fc.assert(
      fc.property(
        messageInputs({ malformed: true, maxMessages: 12 }),
        fc.constantFrom(...formats),
        fc.boolean(),
        (strange, format, lowers) => {
          const thread = AgentThread.empty(asThreadId("long")).append([...work(0, 700), ...strange, ...work(700, 700)]);
          const state = threadState(thread, countingTokenizer(), durability);
          const sources = { state, frame: EMPTY_FRAME, format, summaryRole: "user" as const };
          const plan = emptyPlan(thread.id, "test");
          const [atOnce, inSteps] = [new RequestRenderer(sources), new RequestRenderer(sources)];
          for (const _ of inSteps.catchUp(plan, lowers)) steps++;
          const [a, b] = [atOnce.render(plan), inSteps.render(plan)];
          expect(b.payload).toEqual(a.payload);
          expect(b.digest).toEqual(a.digest);
          expect(b.rendering).toEqual(a.rendering);
          expect(b.verification).toEqual(a.verification);
        },
      ),
      runs(6),
    );
    expect(steps).toBeGreaterThan(2);
  });

  it("lowers a part of the messages in a step, and none of them twice, where a request is recorded as it is", () => {
    const thread = AgentThread.empty(asThreadId("long")).append(work(0, 2_000));
    const state = threadState(thread, countingTokenizer(), durability);
    const neutral = formatById("neutral");
    const lowered: number[] = [];
    const format: typeof neutral = {
      ...neutral,
      lower(request, options) {
        lowered.push(request.messages.length);
        return neutral.lower(request, options);
      },
    };
    const renderer = new RequestRenderer({ state, frame: EMPTY_FRAME, format, summaryRole: "user" });
    const plan = emptyPlan(thread.id, "test");
    finishSteps(renderer.catchUp(plan, true));
    expect(Math.max(...lowered)).toBeLessThan(thread.length / 2);
    const sum = lowered.reduce((all, one) => all + one, 0);
    expect(sum).toBeGreaterThanOrEqual(thread.length);
    expect(sum).toBeLessThan(thread.length * 1.1);
    expect(renderer.render(plan).digest.bytes).toBeGreaterThan(0);
    expect(lowered.reduce((all, one) => all + one, 0)).toBe(sum);
  });

  it("takes no step for what a turn adds", () => {
    const thread = AgentThread.empty(asThreadId("long")).append(work(0, 700));
    const state = threadState(thread, countingTokenizer(), durability);
    const sources = { state, frame: EMPTY_FRAME, format: formatById("neutral"), summaryRole: "user" as const };
    const before = new RequestRenderer(sources);
    const plan = emptyPlan(thread.id, "test");
    expect([...before.catchUp(plan)]).not.toEqual([]);
    const grown = { ...sources, state: threadState(thread.append(work(700, 2)), countingTokenizer(), durability) };
    expect([...new RequestRenderer(grown, before).catchUp(plan)]).toEqual([]);
    expect(finishSteps(before.catchUp(plan))).toBeUndefined();
  });
});
