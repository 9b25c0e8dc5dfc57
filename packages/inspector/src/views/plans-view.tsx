import type { PlanRow, RecordRow } from "@threadfold/inspection/rows";
import { useMemo, useState } from "preact/hooks";
import { planShares, sharesTogether } from "../chart/call-shares.ts";
import { count, dayAndTime, percent, short, whole } from "../format/figures.ts";
import { recordsOf } from "../model/messages-at.ts";
import { tokensShown } from "../model/trail.ts";
import { Cell, columnHeads } from "../parts/cell.tsx";
import { Command, shellCommand } from "../parts/copy-button.tsx";
import { Rows } from "../parts/rows.tsx";
import { Empty, Scrolled, Section } from "../parts/section.tsx";
import { type Share, ShareBar } from "../parts/share-bar.tsx";
import { ACTIONS, ActionChip, outcomeWords } from "../parts/words.tsx";
import { useInspector } from "../state/inspector.ts";

const FOLDED = ["summarize", "externalize", "clear", "drop"] as const;

/** The plans of a thread, compared with one another, and what else was tried. */
export function PlansView() {
  const { index, place, move, go } = useInspector();
  const { plans, calls } = index.value;
  const shares = useMemo(() => plans.map((plan) => planShares(calls, plan)), [plans, calls]);
  // All bars have one scale, so that plans can be compared by the size of the request they left.
  const most = shares.reduce((top, one) => Math.max(top, sharesTogether(one)), 1);
  const [older, newer] = place.value.plans ?? [plans.length - 1, plans.length];
  const [isAnchored, setAnchored] = useState(false);
  if (plans.length === 0)
    return (
      <Empty title="Nothing has been folded yet.">
        A plan is made when a request would be too large, or when somebody asks for one. Until then every message is
        sent as it is.
      </Empty>
    );
  const choose = (version: number): void =>
    move({ plans: isAnchored ? sorted(older, version) : [version - 1, version] });
  return (
    <div class="with-list wide-list">
      <div class="list">
        <Rows
          label="Plans"
          className="plan-rows"
          height={44}
          length={plans.length}
          chosen={plans.length - newer}
          head={columnHeads(["Plan", "Without folding → with it", "Messages folded, calls"])}
          onChoose={(at) => choose(plans.length - at)}
          onEnter={(at) =>
            go({ view: "request", mode: "difference", call: plans[plans.length - at - 1]?.firstCall ?? null })
          }
        >
          {(at) => {
            const plan = plans[plans.length - at - 1];
            return plan !== undefined && <PlanCells plan={plan} shares={shares[plan.version - 1] ?? []} most={most} />;
          }}
        </Rows>
        <label class="check">
          <input
            type="checkbox"
            checked={isAnchored}
            onChange={({ currentTarget }) => setAnchored(currentTarget.checked)}
          />
          Keep comparing with plan {older}
        </label>
      </div>
      <Scrolled label={`Plan ${newer} compared with plan ${older}`}>
        <Comparison older={older} newer={newer} />
        <Attempts />
        <OtherPresets />
      </Scrolled>
    </div>
  );
}

const sorted = (one: number, other: number): readonly [number, number] =>
  one < other ? [one, other] : one > other ? [other, one] : [one - 1, one];

interface PlanCellsProps {
  readonly plan: PlanRow;
  readonly shares: readonly Share[];
  /** Tokens of a bar of full length. */
  readonly most: number;
}

function PlanCells({ plan, shares, most }: PlanCellsProps) {
  return (
    <>
      <Cell class="version">{plan.version}</Cell>
      <Cell class="cut">
        {short(plan.originalTokens)} → {short(plan.compactedTokens)}
        <ShareBar all={most} shares={shares} />
      </Cell>
      <Cell class="quiet">
        {FOLDED.filter((action) => plan.folded[action] > 0).map((action) => (
          <span key={action} class="folded-count" title={`${plan.folded[action]} ${ACTIONS[action][0]}`}>
            <i class={`dot tone-${ACTIONS[action][1]}`} />
            {whole(plan.folded[action])}
          </span>
        ))}
        <br />
        {plan.calls === 0 ? "no calls" : count(plan.calls, "call")}
      </Cell>
    </>
  );
}

function Comparison({ older, newer }: { readonly older: number; readonly newer: number }) {
  const { index, go } = useInspector();
  const tables = index.value;
  const plan = tables.plans[newer - 1];
  if (plan === undefined) return <Empty title={`There is no plan ${newer}.`} />;
  const before = new Set(recordsOf(tables, older));
  const after = new Set(recordsOf(tables, newer));
  const added = [...after].filter((place) => !before.has(place));
  const removed = [...before].filter((place) => !after.has(place));
  const { commands } = tables.source;
  return (
    <>
      <header class="panel-head">
        <h2>
          Plan {newer} <span class="quiet">compared with {older === 0 ? "no plan" : `plan ${older}`}</span>
        </h2>
        <p class="quiet">
          {dayAndTime(plan.at)} · {plan.policyVersion} · {whole(plan.originalTokens)} → {whole(plan.compactedTokens)}{" "}
          tokens, {percent(plan.compactedTokens / Math.max(1, plan.originalTokens))} ·{" "}
          {plan.firstCall < 0 ? (
            "no call was made under it"
          ) : (
            <button
              type="button"
              class="link"
              onClick={() => go({ view: "request", mode: "difference", call: plan.firstCall })}
            >
              first sent with call {whole(plan.firstCall + 1)}
            </button>
          )}
        </p>
      </header>
      <Records title="Added" places={added} empty="Nothing was added." />
      <Records title="Removed" places={removed} empty="Nothing was removed." />
      {commands !== null && newer !== index.value.thread.planVersion && (
        <Section title="Restore this plan">
          <Command what="the command that reverts" text={shellCommand(commands.revert, { plan: String(newer) })} />
        </Section>
      )}
    </>
  );
}

interface RecordsProps {
  readonly title: string;
  readonly places: readonly number[];
  readonly empty: string;
}

/** Maximum number of decisions listed before the reader asks for the rest. */
const FIRST_RECORDS = 40;

function Records({ title, places, empty }: RecordsProps) {
  const { records } = useInspector().index.value;
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? places : places.slice(0, FIRST_RECORDS);
  return (
    <Section title={title} note={count(places.length, "decision")}>
      {places.length === 0 ? (
        <p class="quiet">{empty}</p>
      ) : (
        <table class="plain-table decisions">
          <thead>
            <tr>
              <th scope="col">Messages</th>
              <th scope="col">What</th>
              <th scope="col">Why</th>
              <th scope="col" class="number">
                Tokens
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((place) => records[place] !== undefined && <RecordLine key={place} record={records[place]} />)}
          </tbody>
        </table>
      )}
      {shown.length < places.length && (
        <button type="button" class="quiet-button" onClick={() => setWhole(true)}>
          Show all {whole(places.length)}
        </button>
      )}
    </Section>
  );
}

function RecordLine({ record }: { readonly record: RecordRow }) {
  const { index, go } = useInspector();
  const tokens = useMemo(() => tokensShown(index.value, record), [index.value, record]);
  const [first = 0] = record.runs;
  const last = record.runs.at(-1) ?? first;
  return (
    <tr>
      <td>
        <button type="button" class="link number" onClick={() => go({ view: "why", message: first })}>
          {first === last ? `#${first}` : `#${first}–${last}`}
        </button>
      </td>
      <td>
        <ActionChip action={record.action} />
      </td>
      <td class="because-of">
        {record.reason} <code class="quiet">{record.strategy}</code>
      </td>
      <td class="number">
        {short(record.originalTokens)} → {tokens === null ? "–" : short(tokens)}
      </td>
    </tr>
  );
}

/** What other presets would have made of the same log, or how to find out. */
function OtherPresets() {
  const { index, go } = useInspector();
  return (
    <Section title="What another preset would have done">
      {index.value.comparison === null ? (
        <p class="quiet">
          <code>threadfold inspect … --presets</code> replays this log under every preset.
        </p>
      ) : (
        <button type="button" class="link" onClick={() => go({ view: "presets" })}>
          Compare the presets on this log
        </button>
      )}
    </Section>
  );
}

/** Folds that were due but made no plan. */
function Attempts() {
  const { index, go } = useInspector();
  const { attempts } = index.value;
  if (attempts.length === 0)
    return (
      <Section title="Attempts that made no plan">
        <p class="quiet">No fold was vetoed, none lost to another writer, and no request was refused.</p>
      </Section>
    );
  return (
    <Section title="Attempts that made no plan" note={whole(attempts.length)}>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">When (UTC)</th>
            <th scope="col">After call</th>
            <th scope="col">How it ended</th>
            <th scope="col">Plan</th>
          </tr>
        </thead>
        <tbody>
          {attempts.slice(-FIRST_RECORDS).map((attempt) => (
            <tr key={attempt.sequence}>
              <td>{dayAndTime(attempt.at)}</td>
              <td>
                {attempt.call < 0 ? (
                  "–"
                ) : (
                  <button type="button" class="link number" onClick={() => go({ view: "request", call: attempt.call })}>
                    {whole(attempt.call + 1)}
                  </button>
                )}
              </td>
              <td class={attempt.refused ? "bad" : ""}>
                <code>{attempt.outcome}</code> {outcomeWords(attempt)}
                {attempt.refused && "; the request was not handed out"}
              </td>
              <td>{attempt.planVersion}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
