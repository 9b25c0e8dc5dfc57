import {
  type AgentThread,
  asMessageId,
  type ChatRequest,
  canonicalJson,
  type JsonObject,
  type Message,
  type Part,
  type Pin,
  systemText,
  toolResultText,
} from "@threadfold/core";
import { forAll, type Law, type Trials } from "@threadfold/core/laws";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import { requirementsFor } from "../capabilities/requirements-for.ts";
import { withoutAwaiting } from "../conform/mark-system-notices.ts";
import { isHandover } from "../conform/parts/leave-out.ts";
import { isAnswerOfHost, leaveItemOpen, pairItems } from "../conform/provider-items.ts";
import type { ProviderFormat } from "../formats/provider-format.ts";
import type { RenderInput, Rendering } from "../input/render-input.ts";
import { asList, isPlainObject } from "../legality/legality-rule.ts";
import { quotedPin } from "../neutral/pins.ts";
import { GrowingPayload, payloadDigest } from "../rendering/growing-payload.ts";
import { GrowingRendering } from "../rendering/growing-rendering.ts";
import { renderRequest } from "../rendering/render-request.ts";
import { renderInputs } from "./render-inputs.ts";

/** Relative cost of a check that renders a thread at each of its versions. */
const EVERY_VERSION = 25;

/**
 * Returns the laws of a `ProviderFormat`, checked on generated threads and plans or on inputs of your own. A new format
 * is done when it breaks none of them.
 */
export const formatLaws = (
  format: ProviderFormat,
  { inputs = renderInputs, times = 250 }: Trials<RenderInput> = {},
): readonly Law[] => forAll(inputs, formatChecks(format), times);

/** Returns the laws of a format before they are bound to inputs. They share the rendering of an input. */
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
    law("everything that the request says is in the payload, with and without breakpoints", (rendering) =>
      brokenSpeech(format, rendering),
    ),
    law("live pins appear word for word", brokenPins),
    law("tokens match the counted request and the sum of the shares", brokenCount),
    law("the manifest explains every message", brokenManifest),
    law("no message of the main branch is lost silently", brokenReach),
    law("the same input gives the same bytes", (rendering, input) => brokenReplay(format, rendering, input)),
    {
      name: "a longer log only adds to the end",
      cost: EVERY_VERSION,
      broken: (input) => brokenGrowth(format, input),
    },
    {
      name: "a rendering that follows its thread equals one made at once",
      cost: EVERY_VERSION,
      broken: (input) => brokenFollowing(format, input),
    },
  ];
}

/** A rendering with its payload, which some laws inspect. */
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

/** Checks that lowering and marking leave nothing out: what a format cannot say, it must not be given. */
function brokenSpeech(format: ProviderFormat, { payload, request }: Lowered): string | null {
  const { messagesField, mark } = format;
  if (request.messages.length > 0 && asList(payload[messagesField]).length === 0)
    return `the request has messages, and ${messagesField} of the payload lists none`;
  const spoken = spokenIn(request);
  const lost = lostIn(payload, spoken);
  if (lost !== undefined) return `the payload does not say ${JSON.stringify(lost)}`;
  const unmarked = mark === undefined ? undefined : lostIn(mark.call(format, payload, request, {}), spoken);
  return unmarked === undefined ? null : `with breakpoints the payload does not say ${JSON.stringify(unmarked)}`;
}

/** Returns words that a payload has nowhere, neither as they are nor inside JSON text, as some providers want results. */
function lostIn(payload: JsonObject, spoken: readonly string[]): string | undefined {
  const said = new Set(textsIn(payload));
  const isSaid = (words: string): boolean => [...said].some((text) => text.includes(words));
  return spoken.find((words) => !said.has(words) && !isSaid(words) && !isSaid(JSON.stringify(words).slice(1, -1)));
}

/** What a request says in words that every format keeps: texts, texts of results, and names of tools and calls. */
function spokenIn({ system, tools, messages }: ChatRequest): readonly string[] {
  const parts = messages.flatMap((message) => message.parts);
  const words = [...system.map(systemText), ...tools.map(({ name }) => name), ...parts.flatMap(wordsOf)];
  return words.filter((text) => text.trim() !== "");
}

/** JSON in a result is left out: a format may keep it as a value. */
function wordsOf(part: Part): readonly string[] {
  if (part.type === "text") return [part.text];
  if (part.type === "tool-call") return [part.toolName];
  if (part.type !== "tool-result") return [];
  const { content } = part.result;
  if (content.type === "text") return [content.text];
  return content.type === "blocks" ? content.blocks.flatMap((block) => (block.type === "text" ? block.text : [])) : [];
}

/** All texts in a JSON value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function brokenPins({ missingPins, request }: Rendering, { thread }: RenderInput): string | null {
  const lost = thread.livePins.find((pin) => !standsIn(pin, request));
  if (lost !== undefined) return `pin ${lost.id} does not appear in the request`;
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
  if (tokens !== counted) return `the rendering says ${tokens} tokens, the request has ${counted}`;
  const shares = Object.values(breakdown).reduce((sum, share) => sum + share, 0);
  if (shares !== tokens) return `the shares add up to ${shares} tokens, the rendering says ${tokens}`;
  const messages = manifest.messages.reduce((sum, message) => sum + message.tokens, 0);
  const counts = request.messages.reduce((sum, message) => sum + ledger.tokenizer.countMessage(message), 0);
  return messages === counts
    ? null
    : `the manifest's messages add up to ${messages} tokens, the request's to ${counts}`;
}

function brokenManifest({ manifest, request }: Rendering, { thread }: RenderInput): string | null {
  if (manifest.messages.length !== request.messages.length) return "the manifest has a different number of messages";
  const wrong = manifest.messages.find(({ index, role, parts, sources }) => {
    const message = request.messages[index];
    return (
      message?.role !== role || message.parts.length !== parts || sources.some((id) => thread.message(id) === undefined)
    );
  });
  return wrong === undefined ? null : `message ${wrong.index} is not what the manifest says`;
}

/** Checks that every message is shown, covered by a record of the plan, or named by a warning. */
function brokenReach({ manifest, warnings }: Rendering, { thread, plan }: RenderInput): string | null {
  // Messages that a provider's own item replaces are contained in it.
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
  // The canonical form is what gets recorded, so it must exist; equal text is equal in every form.
  canonicalJson(first.payload);
  return JSON.stringify(first) === JSON.stringify(second) ? null : "a second rendering gave different bytes";
}

/** Compares a rendering that followed the thread as it grew with a fresh rendering of each version (P9, V15). */
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
    if (marks !== expected) return `at version ${version} the payload that followed the thread is marked differently`;
    if (sent.violations.length > 0)
      return `at version ${version} what followed the thread breaks ${sent.violations[0]?.rule} at ${sent.violations[0]?.at}`;
  }
  const atOnce = GrowingRendering.of(input, format);
  if (everythingOf(atOnce.rendering) !== everythingOf(renderRequest(input, format)))
    return "a growing rendering of the whole thread differs";
  return null;
}

/** Serializes a rendering. Findings are sorted, because the order in which they were made does not matter. */
function everythingOf({ warnings, ...rendering }: Rendering): string {
  const findings = warnings.map((warning) => {
    const names = "names" in warning ? warning.names.toSorted() : [];
    return canonicalJson({ ...warning, names, messageIds: warning.messageIds.toSorted() });
  });
  return canonicalJson({ ...rendering, findings: findings.sort() });
}

/** Compares renderings of the thread as it grew, starting from the version that the plan has seen. */
function brokenGrowth(format: ProviderFormat, input: RenderInput): string | null {
  const { thread, plan } = input;
  const { requirements } = format.rules;
  const start = Math.min(plan.threadVersion, thread.version);
  const longest = renderRequest(input, format).request;
  const units = requestUnits(format, longest);
  for (let version = start; version < thread.version; version++) {
    const { request } = renderRequest({ ...input, thread: thread.atVersion(version) }, format);
    const seen = thread.atVersion(version);
    const open = [...openSteps(seen, format, request), ...abandonedFirst(seen, thread, requirements)];
    const stable = stableMessages(format, request, longest, open);
    if (stable === null) return `at version ${version} a different call is open than later`;
    const messages = withoutAwaiting(request.messages.slice(0, stable), requirementsFor(requirements, input), thread);
    const changed = requestUnits(format, { ...request, messages }).findIndex((unit, index) => unit !== units[index]);
    if (changed >= 0) return `what was rendered at version ${version} changed later, at ${changed}`;
  }
  return null;
}

/**
 * Splits the messages of a lowered request into units that a longer log may only append to: blocks if a message's
 * content is a list. System text and tools are left out: the log adds to them before anyone speaks, and when an
 * undeclared tool is used.
 */
function requestUnits(format: ProviderFormat, request: ChatRequest): readonly string[] {
  const { payload } = format.lower({ ...request, system: [], tools: [] });
  return asList(payload[format.messagesField]).flatMap((message) => {
    const content = isPlainObject(message) ? (message.content ?? message.parts) : undefined;
    if (!isPlainObject(message) || !Array.isArray(content)) return [canonicalJson(message)];
    // For a provider's steps, the type says who speaks.
    return content.map((block) => canonicalJson([message.role ?? message.type ?? null, block]));
  });
}

/**
 * Returns how many messages of a request a later one must begin with: all except placeholders for content that the log
 * did not have yet, which come at the end of the request, and results that arrived later. Null when such a result
 * answers a different call.
 */
function stableMessages(
  { rules: { requirements } }: ProviderFormat,
  earlier: ChatRequest,
  later: ChatRequest,
  open: readonly Message[],
): number | null {
  const step = earlier.messages.findIndex((message) => open.some((one) => showsOf(message, one)));
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
 * Returns messages that a longer log may still change, because calls among their provider items wait for the host: such
 * calls are shown once it has answered. They are the newest answer of the model that the request shows, at its place or
 * moved, and the newest one if nobody spoke since, with what follows; and earlier answers with such calls, which may take
 * reasoning along to where they are answered.
 */
function openSteps(
  thread: AgentThread,
  { rules: { requirements } }: ProviderFormat,
  { messages: rendered }: ChatRequest,
): readonly Message[] {
  const { opaquePairs = [], opaquePairsInLoop } = requirements;
  if (opaquePairs.length === 0 || opaquePairsInLoop === true) return [];
  const shown = [...thread.messages].filter(({ branch }) => branch === undefined);
  const waits = (at: number, calls: readonly Part[]): boolean => {
    const messages = shown.slice(Math.max(0, at)).map(({ role, parts }) => ({ role, parts, sources: [] }));
    return calls.length > 0 && !calls.every((call) => pairItems(messages, requirements).paired.has(call));
  };
  const callsOf = (one: Message | undefined): readonly Part[] =>
    one?.parts.filter((part) => opaquePairs.some(({ call }) => call === itemType(part))) ?? [];
  const newest = (isMeant: (one: Message, at: number) => boolean): number =>
    shown.findLastIndex((one, at) => one.role === "assistant" && isMeant(one, at));
  const isAnswer = ({ role, parts }: Message): boolean =>
    role === "tool" || parts.every((part) => isAnswerOfHost(part, requirements));
  const places = [
    newest(({ id }) => rendered.some(({ sources }) => sources.includes(id))),
    newest((one) => rendered.some((message) => showsOf(message, one))),
    newest((_, at) => shown.slice(at + 1).every(isAnswer)),
  ];
  const waiting = shown.filter((one, at) => one.role === "assistant" && waits(at, callsOf(one)));
  return [...places.flatMap((at) => (waits(at, callsOf(shown[at])) ? shown.slice(at) : [])), ...waiting];
}

/** Returns answers with calls that were left out where another model took over, and were answered later after all. */
function abandonedFirst(seen: AgentThread, whole: AgentThread, requirements: FormatRequirements): readonly Message[] {
  const later = new Set(whole.messagesBetween(seen.length).flatMap(({ parts }) => parts.map(answeredCall)));
  return [...seen.messages].filter(({ parts }) => {
    const end = parts.findLastIndex((part) => isHandover(part, requirements));
    const before = parts.slice(0, Math.max(0, end));
    return before.some((part) => part.type === "tool-call" && later.has(part.callId));
  });
}

const answeredCall = (part: Part): string | undefined => (part.type === "tool-result" ? part.result.callId : undefined);

/** Checks whether a message of a request shows one of the log, or an item of it that moved to its answer. */
const showsOf = ({ sources, parts }: ChatRequest["messages"][number], { id, parts: own }: Message): boolean =>
  sources.includes(id) || parts.some((part) => part.type === "opaque" && own.includes(part));

const itemType = (part: Part): unknown => (part.type === "opaque" ? Object(part.value).type : undefined);

/**
 * Returns the index of a pending call that the provider answers itself and that may be removed later: when the user
 * speaks before it is answered, or when a still missing result brings an image, which a user message shows. The
 * thinking that led to it is removed as well, because no turn may end with thinking, and so is an opening before it.
 */
function pausedFrom({ messages }: ChatRequest, requirements: FormatRequirements): number {
  const missing = messages.findIndex(({ synthetic }, index) => {
    return synthetic === "missing-result" && leaveItemOpen(messages.slice(0, index), requirements);
  });
  const { open } = pairItems(missing < 0 ? messages : messages.slice(0, missing), requirements);
  let paused = messages.findIndex(({ parts }) => parts.some((part) => open.has(part)));
  if (paused < 0) return messages.length;
  while (messages[paused - 1]?.parts.every(({ type }) => type === "reasoning")) paused--;
  if (messages[paused - 1]?.parts.at(-1)?.type === "reasoning") paused--;
  return messages[paused - 1]?.synthetic === "placeholder" ? paused - 1 : paused;
}

function callOf(message: ChatRequest["messages"][number] | undefined): string | undefined {
  const part = message?.parts[0];
  return part === undefined ? undefined : answeredCall(part);
}
