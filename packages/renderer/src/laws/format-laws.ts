import {
  type AgentThread,
  asMessageId,
  type ChatRequest,
  canonicalJson,
  type JsonObject,
  type MessageId,
  type Part,
  type Pin,
  systemText,
  toolResultText,
} from "@threadfold/core";
import { forAll, type Law, type Trials } from "@threadfold/core/laws";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import { leaveItemOpen, pairItems } from "../conform/provider-items.ts";
import type { ProviderFormat } from "../formats/provider-format.ts";
import type { RenderInput, Rendering } from "../input/render-input.ts";
import { asList, isPlainObject } from "../legality/legality-rule.ts";
import { quotedPin } from "../neutral/pins.ts";
import { GrowingPayload, payloadDigest } from "../rendering/growing-payload.ts";
import { GrowingRendering } from "../rendering/growing-rendering.ts";
import { renderRequest } from "../rendering/render-request.ts";
import { renderInputs } from "./render-inputs.ts";

/** How many times as much a check costs that renders a thread at each of its versions. */
const EVERY_VERSION = 25;

/**
 * The laws of a `ProviderFormat`, tried on generated threads and plans or on inputs of your own. A new format is done when
 * none of them is broken.
 */
export const formatLaws = (
  format: ProviderFormat,
  { inputs = renderInputs, times = 250 }: Trials<RenderInput> = {},
): readonly Law[] => forAll(inputs, formatChecks(format), times);

/** The laws of a format before it is known which inputs they are tried on. They share the rendering of an input. */
export function formatChecks(format: ProviderFormat): readonly Law<RenderInput>[] {
  const known = new WeakMap<RenderInput, Lowered>();
  const renderingOf = (input: RenderInput): Lowered => {
    const lowered = known.get(input) ?? loweredOf(format, input);
    known.set(input, lowered);
    return lowered;
  };
  const law = (name: string, broken: (rendering: Lowered, input: RenderInput) => string | null) => ({
    name,
    broken: (input: RenderInput) => broken(renderingOf(input), input),
  });
  return [
    law("what is rendered is legal", (rendering) => firstViolation(format, rendering)),
    law("live pins stand there word for word", brokenPins),
    law("tokens are those of the counted request, and the sum of the shares", brokenCount),
    law("the manifest explains every message", brokenManifest),
    law("no message of the main branch is lost in silence", brokenReach),
    law("the same input gives the same bytes", (rendering, input) => brokenReplay(format, rendering, input)),
    {
      name: "a longer log only adds to the end",
      cost: EVERY_VERSION,
      broken: (input) => brokenGrowth(format, input),
    },
    {
      name: "what follows its thread is what is rendered at once",
      cost: EVERY_VERSION,
      broken: (input) => brokenFollowing(format, input),
    },
  ];
}

/** A rendering with its payload, which some laws look at. */
interface Lowered extends Rendering {
  readonly payload: JsonObject;
}

function loweredOf(format: ProviderFormat, input: RenderInput): Lowered {
  const rendering = renderRequest(input, format);
  return { ...rendering, payload: format.lower(rendering.request).payload };
}

function firstViolation(format: ProviderFormat, { payload, manifest }: Lowered): string | null {
  const [violation] = [...format.check(payload, manifest), ...format.check(payload)];
  return violation === undefined ? null : `${violation.rule} at ${violation.at}: ${violation.problem}`;
}

function brokenPins({ missingPins, request }: Rendering, { thread }: RenderInput): string | null {
  const lost = thread.livePins.find((pin) => !standsIn(pin, request));
  if (lost !== undefined) return `pin ${lost.id} stands nowhere in the request`;
  return missingPins.length === 0 ? null : `missingPins names ${missingPins.join(", ")}`;
}

const standsIn = (pin: Pin, { system, messages }: ChatRequest): boolean =>
  [...system.map(systemText), ...messages.flatMap(({ parts }) => parts.map(textOf))].some(
    (text) => text.includes(pin.text) || text.split("\n").includes(quotedPin(pin)),
  );

function textOf(part: Part): string {
  if (part.type === "text" || part.type === "reasoning") return part.text;
  return part.type === "tool-result" ? toolResultText(part.result.content) : "";
}

function brokenCount({ tokens, breakdown, manifest, request }: Rendering, { ledger }: RenderInput): string | null {
  const counted = ledger.tokenizer.countRequest(request);
  if (tokens !== counted) return `says ${tokens} tokens, the request counts ${counted}`;
  const shares = Object.values(breakdown).reduce((sum, share) => sum + share, 0);
  if (shares !== tokens) return `the shares come to ${shares} tokens, the request to ${tokens}`;
  const messages = manifest.messages.reduce((sum, message) => sum + message.tokens, 0);
  const counts = request.messages.reduce((sum, message) => sum + ledger.tokenizer.countMessage(message), 0);
  return messages === counts ? null : `the manifest's messages come to ${messages} tokens, the request's to ${counts}`;
}

function brokenManifest({ manifest, request }: Rendering, { thread }: RenderInput): string | null {
  if (manifest.messages.length !== request.messages.length) return "the manifest has another number of messages";
  const wrong = manifest.messages.find(({ index, role, parts, sources }) => {
    const message = request.messages[index];
    return (
      message?.role !== role || message.parts.length !== parts || sources.some((id) => thread.message(id) === undefined)
    );
  });
  return wrong === undefined ? null : `message ${wrong.index} is not what the manifest says`;
}

/** Shown, in a record of the plan, or named by a warning. */
function brokenReach({ manifest, warnings }: Rendering, { thread, plan }: RenderInput): string | null {
  // What a provider's own item stands for is in it.
  const item = thread.message(plan.providerItem ?? asMessageId(""));
  const isOpening = item !== undefined && manifest.messages.some(({ sources }) => sources.includes(item.id));
  const from = isOpening ? item.ordinal : 0;
  const records = [...plan.externalizations, ...plan.summarizations, ...plan.clearings, ...plan.drops];
  const known = new Set([
    ...manifest.systemSources,
    ...manifest.messages.flatMap(({ sources }) => sources),
    ...records.flatMap(({ span }) => span.messageIds),
    ...warnings.flatMap(({ messageIds }) => messageIds),
  ]);
  const lost = [...thread.messages].find(
    ({ id, branch, ordinal }) => branch === undefined && ordinal >= from && !known.has(id),
  );
  return lost === undefined ? null : `message ${lost.id} is neither shown nor folded nor warned about`;
}

function brokenReplay(format: ProviderFormat, { payload, manifest }: Lowered, input: RenderInput): string | null {
  const again = loweredOf(format, input);
  const first = { payload, manifest };
  const second = { payload: again.payload, manifest: again.manifest };
  // What is recorded is the canonical form, which has to be there; equal text is equal in every form.
  canonicalJson(first.payload);
  return JSON.stringify(first) === JSON.stringify(second) ? null : "a second rendering gave other bytes";
}

/** Compares a rendering that followed the thread as it grew with one of each version (P9, V15). */
function brokenFollowing(format: ProviderFormat, input: RenderInput): string | null {
  const { thread, plan } = input;
  let following: GrowingRendering | undefined;
  let sent: GrowingPayload | undefined;
  for (let version = Math.min(plan.threadVersion, thread.version); version <= thread.version; version++) {
    const grown = { ...input, thread: thread.atVersion(version) };
    following = following?.grow(grown) ?? GrowingRendering.of(grown, format);
    if (everythingOf(following.rendering) !== everythingOf(renderRequest(grown, format)))
      return `at version ${version} the rendering that followed the thread differs`;
    sent = sent?.grow(following) ?? GrowingPayload.of(following, format);
    const { request } = following.rendering;
    const atOnce = format.lower(request).payload;
    const payload = payloadDigest(atOnce);
    const isSame =
      canonicalJson(sent.payload) === payload.text && canonicalJson(sent.digest) === canonicalJson(payload);
    if (!isSame) return `at version ${version} the payload that followed the thread differs`;
    const [marks, expected] = [sent.payload, atOnce].map((one) =>
      canonicalJson(format.mark?.(one, request, {}) ?? null),
    );
    if (marks !== expected) return `at version ${version} the payload that followed the thread is marked otherwise`;
    if (sent.violations.length > 0)
      return `at version ${version} what followed the thread breaks ${sent.violations[0]?.rule} at ${sent.violations[0]?.at}`;
  }
  const atOnce = GrowingRendering.of(input, format);
  if (everythingOf(atOnce.rendering) !== everythingOf(renderRequest(input, format)))
    return "the rendering that settles what it can differs";
  return null;
}

/** A rendering as text. Findings come in the order in which they were made, which does not matter. */
function everythingOf({ warnings, ...rendering }: Rendering): string {
  const findings = warnings.map((warning) => {
    const names = "names" in warning ? warning.names.toSorted() : [];
    return canonicalJson({ ...warning, names, messageIds: warning.messageIds.toSorted() });
  });
  return canonicalJson({ ...rendering, findings: findings.sort() });
}

/** Compares renderings of the thread as it grew, from the version that the plan has seen. */
function brokenGrowth(format: ProviderFormat, input: RenderInput): string | null {
  const { thread, plan } = input;
  const start = Math.min(plan.threadVersion, thread.version);
  const longest = renderRequest(input, format).request;
  const units = requestUnits(format, longest);
  for (let version = start; version < thread.version; version++) {
    const { request } = renderRequest({ ...input, thread: thread.atVersion(version) }, format);
    const open = openStep(thread.atVersion(version), format, request);
    const stable = stableMessages(format, request, longest, open);
    if (stable === null) return `at version ${version} another call is open than later`;
    const changed = requestUnits(format, { ...request, messages: request.messages.slice(0, stable) }).findIndex(
      (unit, index) => unit !== units[index],
    );
    if (changed >= 0) return `what was rendered at version ${version} changed later, at ${changed}`;
  }
  return null;
}

/**
 * The messages of a lowered request in the pieces that a longer log may only add to: blocks where a message is a list.
 * System text and tools are apart: the log adds to them before anyone speaks, and when a tool that no one declared is used.
 */
function requestUnits(format: ProviderFormat, request: ChatRequest): readonly string[] {
  const { payload } = format.lower({ ...request, system: [], tools: [] });
  return asList(payload[format.messagesField]).flatMap((message) => {
    const content = isPlainObject(message) ? (message.content ?? message.parts) : undefined;
    if (!isPlainObject(message) || !Array.isArray(content)) return [canonicalJson(message)];
    // Steps of a provider say by their type who speaks.
    return content.map((block) => canonicalJson([message.role ?? message.type ?? null, block]));
  });
}

/**
 * How many messages of a request a later one must begin with: all but those that stand in for what the log had not got
 * yet, which is the end of the request, and a result that came in later. Null when that result answers another call.
 */
function stableMessages(
  { rules: { requirements } }: ProviderFormat,
  earlier: ChatRequest,
  later: ChatRequest,
  open: MessageId | undefined,
): number | null {
  const step = earlier.messages.findIndex(({ sources }) => open !== undefined && sources.includes(open));
  const end = Math.min(pausedFrom(earlier, requirements), step < 0 ? Number.POSITIVE_INFINITY : step);
  for (let index = 0; index < end; index++) {
    const message = earlier.messages[index];
    if (message?.synthetic === "continuation" || message?.synthetic === "rehydration") return index;
    if (message?.synthetic !== "missing-result") continue;
    const answer = later.messages[index];
    if (answer?.synthetic === "missing-result") continue;
    return callOf(answer) === callOf(message) ? index : null;
  }
  return end;
}

/**
 * The newest answer of the model that a request shows, while calls of items in it that the host answers wait: they are shown
 * when it did.
 */
function openStep(
  thread: AgentThread,
  { rules: { requirements } }: ProviderFormat,
  { messages: rendered }: ChatRequest,
): MessageId | undefined {
  const { opaquePairs = [], opaquePairsInLoop } = requirements;
  if (opaquePairs.length === 0 || opaquePairsInLoop === true) return undefined;
  const shown = [...thread.messages].filter(({ branch }) => branch === undefined);
  const isSent = (id: MessageId): boolean => rendered.some(({ sources }) => sources.includes(id));
  const last = shown.findLastIndex(({ id, role }) => role === "assistant" && isSent(id));
  const calls = shown[last]?.parts.filter((part) => opaquePairs.some(({ call }) => call === itemType(part))) ?? [];
  const messages = shown.slice(last).map(({ role, parts }) => ({ role, parts, sources: [] }));
  const { paired } = pairItems(messages, requirements);
  return calls.every((call) => paired.has(call)) ? undefined : shown[last]?.id;
}

const itemType = (part: Part): unknown => (part.type === "opaque" ? Object(part.value).type : undefined);

/**
 * Where a call stands that the provider answers itself, and that may go later: when the user speaks before it is answered, or
 * a result that is still missing brings a picture, which a user message shows. With it go the thinking that led to it, for
 * no turn may end with that, and an opening before it.
 */
function pausedFrom({ messages }: ChatRequest, requirements: FormatRequirements): number {
  const missing = messages.findIndex(({ synthetic }, index) => {
    return synthetic === "missing-result" && leaveItemOpen(messages.slice(0, index), requirements);
  });
  const { open } = pairItems(missing < 0 ? messages : messages.slice(0, missing), requirements);
  let paused = messages.findIndex(({ parts }) => parts.some((part) => open.has(part)));
  if (paused < 0) return messages.length;
  while (messages[paused - 1]?.parts.every(({ type }) => type === "reasoning")) paused--;
  return messages[paused - 1]?.synthetic === "placeholder" ? paused - 1 : paused;
}

function callOf(message: ChatRequest["messages"][number] | undefined): string | undefined {
  const part = message?.parts[0];
  return part?.type === "tool-result" ? part.result.callId : undefined;
}
