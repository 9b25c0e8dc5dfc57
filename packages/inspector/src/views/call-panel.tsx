import { CACHE_PARTS, callShares, countedLimits, PARTS } from "../chart/call-shares.ts";
import { dayAndTime, duration, money, short, timeOfDay, whole } from "../format/figures.ts";
import { blockLabel } from "../model/block-label.ts";
import { largestBlocks } from "../model/block-tokens.ts";
import { attemptsBefore } from "../model/trail.ts";
import { onOneLine } from "../parts/long-text.tsx";
import { Section } from "../parts/section.tsx";
import { ShareBar, ShareTable } from "../parts/share-bar.tsx";
import { ACTIONS, breakPrice, CAUSES, outcomeWords } from "../parts/words.tsx";
import { useInspector } from "../state/inspector.ts";

const LARGEST = 7;

/** A call's request: its parts, its payment, its largest blocks, and whether it is proved. */
export function CallPanel({ onBlock }: { readonly onBlock: (position: number) => void }) {
  const { index, call } = useInspector();
  const { calls, frames } = index.value;
  const at = call.value;
  const tokens = calls.tokens[at] ?? 0;
  const limit = calls.limit[at] ?? null;
  const estimated = calls.estimated[at] ?? tokens;
  const model = frames[calls.frame[at] ?? -1]?.model;
  const gap = at === 0 ? null : (calls.at[at] ?? 0) - (calls.at[at - 1] ?? 0);
  return (
    <aside class="panel" aria-label={`Call ${at + 1}`}>
      <header class="panel-head">
        <h2>Call {whole(at + 1)}</h2>
        <p class="quiet">
          <time title={dayAndTime(calls.at[at] ?? null)}>{timeOfDay(calls.at[at] ?? null)}</time>
          {gap !== null && gap > 0 && ` · ${duration(gap)} after the previous one`}
          {model && ` · ${model}`} · plan {calls.planVersion[at]}
        </p>
      </header>
      <Section
        title={`${whole(tokens)} tokens`}
        note={limit === null ? "" : `${sentAs(estimated, tokens)}of ${short(limit)}, ${roomLeft(limit - estimated)}`}
      >
        <ShareBar shares={callShares(calls, at, PARTS)} all={Math.max(tokens, countedLimits(calls)[at] ?? 0)} />
        <ShareTable caption="Parts of the request" shares={callShares(calls, at, PARTS)} all={tokens} />
      </Section>
      <NotFolded />
      <Payment />
      <Largest onBlock={onBlock} />
      <Proof />
    </aside>
  );
}

/** The limit is in the provider's tokens, which may be more or fewer than those of the session's counter. */
const sentAs = (estimated: number, tokens: number): string =>
  estimated === tokens ? "" : `${short(estimated)} as the provider counts, `;

const roomLeft = (tokens: number): string => (tokens < 0 ? `${short(-tokens)} over` : `${short(tokens)} free`);

/** Why no fold was made before this call although one was due. */
function NotFolded() {
  const { index, call } = useInspector();
  const attempts = attemptsBefore(index.value, call.value);
  if (attempts.length === 0) return null;
  return (
    <div class="notice">
      {attempts.map((attempt) => (
        <p key={attempt.sequence}>
          <strong>A fold was due but made no plan</strong>: {outcomeWords(attempt)}.
        </p>
      ))}
    </div>
  );
}

function Payment() {
  const { index, call, place, go } = useInspector();
  const { calls, breaks } = index.value;
  const at = call.value;
  const tokens = calls.inputTokens[at] ?? 0;
  const dollars = calls.dollars[at] ?? null;
  const missed = calls.missed[at] ?? 0;
  const broken = breaks[calls.break[at] ?? -1];
  const isSaidBeside = place.value.view === "request" && place.value.mode === "difference";
  return (
    <Section
      title={dollars === null ? `${whole(calls.cost[at] ?? 0)} paid` : money(dollars)}
      note={`for ${whole(tokens)} input tokens${dollars === null ? "" : `, billed as ${whole(calls.cost[at] ?? 0)}`}`}
    >
      <ShareBar shares={callShares(calls, at, CACHE_PARTS)} all={tokens} />
      <ShareTable caption="What the prompt cache did" shares={callShares(calls, at, CACHE_PARTS)} all={tokens} />
      <p class="quiet">
        {calls.reported[at] ? "As the provider reported it" : "Computed by the provider's published rules"};{" "}
        {missed > 0 && `${whole(missed)} tokens missed: `}
        {CAUSES[calls.cause[at] ?? "none"]}.
      </p>
      {broken !== undefined && !isSaidBeside && (
        <div class="notice bad-notice">
          <p>
            <strong>Diverges from call {whole(at)}</strong>
            {broken.byte !== null && ` at byte ${whole(broken.byte)}`}, block {broken.block}: {broken.reason}.
          </p>
          <p>
            {breakPrice(broken)}{" "}
            <button type="button" class="link" onClick={() => go({ view: "request", mode: "difference" })}>
              See the difference
            </button>
          </p>
        </div>
      )}
    </Section>
  );
}

function Largest({ onBlock }: { readonly onBlock: (position: number) => void }) {
  const { index, blocks } = useInspector();
  const tables = index.value;
  return (
    <Section title="Largest">
      <ol class="largest">
        {largestBlocks(tables, blocks.value, LARGEST).map((position) => {
          const place = blocks.value[position] ?? -1;
          const [, tone] = ACTIONS[tables.blocks.action[place] ?? "include"];
          return (
            <li key={position}>
              <button type="button" class="plain" onClick={() => onBlock(position)}>
                <i class={`dot tone-${tone}`} />
                <span class="cut">{onOneLine(blockLabel(tables, place))}</span>
                <span class="number">{whole(tables.blocks.tokens[place] ?? 0)}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

const REPLAYS = {
  equal: ["Rendered again, it matches the recorded bytes.", "good"],
  different: ["Rendered again, it differs from the recorded bytes.", "bad"],
  "not-rendered": ["It could not be rendered again.", "bad"],
} as const;

function Proof() {
  const { index, call } = useInspector();
  const { calls } = index.value;
  const digest = calls.digest[call.value] ?? "";
  const [words, tone] = REPLAYS[calls.replay[call.value] ?? "not-rendered"];
  return (
    <Section title="Proof">
      <p class={tone}>{words}</p>
      {digest !== "" && (
        <p class="digest" title="SHA-256 of the payload">
          {digest}
        </p>
      )}
    </Section>
  );
}
