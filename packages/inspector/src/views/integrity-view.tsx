import type { RuleRow } from "@threadfold/inspection/rows";
import { count, dayAndTime, whole } from "../format/figures.ts";
import { Command } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { onOneLine } from "../parts/long-text.tsx";
import { SaveButton } from "../parts/save-button.tsx";
import { Scrolled, Section } from "../parts/section.tsx";
import { liftedWords } from "../parts/words.tsx";
import { useInspector } from "../state/inspector.ts";

/** Whether what is shown is what was recorded, and whether the record is intact. */
export function IntegrityView() {
  const { index } = useInspector();
  const { integrity, source } = index.value;
  return (
    <Scrolled class="page" label="Integrity">
      <h2 class="unseen">Integrity</h2>
      <Verdicts />
      {integrity.findings.length > 0 && <Findings />}
      <Chain />
      {integrity.mismatches.length > 0 && <Mismatches />}
      <Rules rules={integrity.rules} />
      <Pins />
      {source.commands !== null && (
        <Section title="Check it yourself">
          <Command what="the command that verifies" text={source.commands.verify} />
          <Command what="the command that replays" text={source.commands.replay} />
        </Section>
      )}
    </Scrolled>
  );
}

function Verdicts() {
  const { integrity, pins, calls } = useInspector().index.value;
  const { replay, findings, rules } = integrity;
  const all = replay.equal + replay.different + replay.notRendered;
  const broken = rules.filter(({ violations }) => violations.length > 0);
  const missing = pins.filter((pin) => pin.missing.length > 0);
  return (
    <ul class="verdicts">
      <Verdict
        isGood={findings.length === 0}
        good="What the store holds is intact"
        bad={`${count(findings.length, "thing")} in the store failed verification`}
      >
        {count(integrity.entries, "entry", "entries")}, {count(integrity.plans, "plan")},{" "}
        {count(integrity.artifacts, "artifact")}, {count(integrity.journal, "record")}
      </Verdict>
      <Verdict
        isGood={replay.equal === all}
        good="Every request, rendered again, matches the recorded bytes"
        bad={`${count(all - replay.equal, "request")} of ${whole(all)} could not be reproduced`}
      >
        {whole(replay.equal)} of {whole(all)}
      </Verdict>
      <Verdict
        isGood={broken.length === 0}
        good="No request breaks a rule of its provider"
        bad={`${count(broken.length, "rule")} ${broken.length === 1 ? "is" : "are"} broken`}
      >
        {count(rules.length, "rule")} × {count(calls.at.length, "call")}
      </Verdict>
      <Verdict
        isGood={missing.length === 0}
        good={
          pins.length === 0 ? "No standing instruction was found" : "Every standing instruction was in every request"
        }
        bad={`${count(missing.length, "standing instruction")} missing from requests`}
      >
        {count(pins.length, "standing instruction")}
      </Verdict>
    </ul>
  );
}

interface VerdictProps {
  readonly isGood: boolean;
  readonly good: string;
  readonly bad: string;
  readonly children: preact.ComponentChildren;
}

const Verdict = ({ isGood, good, bad, children }: VerdictProps) => (
  <li class={isGood ? "verdict good" : "verdict bad"}>
    <Icon name={isGood ? "done" : "warning"} />
    <div>
      <strong>{isGood ? good : bad}</strong>
      <p class="quiet">{children}</p>
    </div>
  </li>
);

/** What does not verify, and where. */
function Findings() {
  const { integrity } = useInspector().index.value;
  return (
    <Section title="What failed verification">
      <ul class="findings">
        {integrity.findings.map((finding, at) => (
          <li key={at} class="bad">
            <dl class="facts">
              {Object.entries(finding).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{typeof value === "object" ? JSON.stringify(value) : String(value)}</dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Chain() {
  const { index, source } = useInspector();
  const { integrity, source: from } = index.value;
  const { rawLog } = from;
  return (
    <Section title="The chain">
      <dl class="facts">
        <div>
          <dt>Thread</dt>
          <dd class="digest">{integrity.threadDigest}</dd>
        </div>
        <div>
          <dt>Merkle root of the journal</dt>
          <dd class="digest">{integrity.rootHash}</dd>
        </div>
        {integrity.checkpoints.map(({ sequence, at, size, rootHash, signed }) => (
          <div key={sequence}>
            <dt>
              Checkpoint at {whole(size)}
              {signed ? ", signed" : ""}
            </dt>
            <dd>
              <span class="quiet">{dayAndTime(at)}</span> <span class="digest">{rootHash}</span>
            </dd>
          </div>
        ))}
        <div>
          <dt>The raw log, byte for byte</dt>
          {rawLog === null ? (
            <dd class="quiet">
              Not included in this page; <code>--bodies all --unredacted</code> includes it.
            </dd>
          ) : (
            <dd>
              <SaveButton name={rawLog} what="the raw log" read={() => source.readLog()} /> {rawLog}
            </dd>
          )}
        </div>
      </dl>
    </Section>
  );
}

/** Maximum number of calls or violations listed. */
const MOST = 50;

function Mismatches() {
  const { index, go } = useInspector();
  const { mismatches } = index.value.integrity;
  return (
    <Section title="Requests that could not be reproduced" note={whole(mismatches.length)}>
      <table class="plain-table">
        <tbody>
          {mismatches.slice(0, MOST).map(({ call, problem }) => (
            <tr key={call}>
              <th scope="row">
                <button type="button" class="link" onClick={() => go({ view: "request", mode: "payload", call })}>
                  call {whole(call + 1)}
                </button>
              </th>
              <td>{problem}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** Every rule across all calls: an unbroken line, marked where the rule was broken. */
function Rules({ rules }: { readonly rules: readonly RuleRow[] }) {
  const { index, go } = useInspector();
  const calls = index.value.calls.at.length;
  const formats = new Set(rules.map(({ format }) => format));
  const ordered = [...rules].sort((a, b) => b.violations.length - a.violations.length);
  return (
    <Section
      title="Rules × calls"
      note={`of ${[...formats].join(" and ")}; calls 1 to ${whole(calls)} from left to right`}
    >
      <table class="plain-table rules">
        <thead class="unseen">
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">What it requires</th>
            <th scope="col">Calls that break it</th>
          </tr>
        </thead>
        <tbody>
          {ordered.map(({ format, id, description, violations }) => (
            <tr key={`${format} ${id}`}>
              <th scope="row">
                <code>{id}</code> {formats.size > 1 && <span class="quiet">{format}</span>}
              </th>
              <td>
                {description}
                {violations.slice(0, 3).map(({ call, problem, at }) => (
                  <p key={`${call} ${at}`} class="bad">
                    <button type="button" class="link" onClick={() => go({ view: "request", mode: "payload", call })}>
                      call {whole(call + 1)}
                    </button>{" "}
                    {problem} <code>{at}</code>
                  </p>
                ))}
                {violations.length > 3 && <p class="quiet">and {whole(violations.length - 3)} more</p>}
              </td>
              <td class="strip-cell">
                <span class="unseen">{violations.length === 0 ? "none" : count(violations.length, "violation")}</span>
                <RuleStrip calls={calls} broken={violations.map(({ call }) => call)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

const RuleStrip = ({ calls, broken }: { readonly calls: number; readonly broken: readonly number[] }) => (
  <svg class="rule-strip" viewBox={`0 0 ${Math.max(1, calls)} 1`} preserveAspectRatio="none" aria-hidden="true">
    <rect class="holds" width={Math.max(1, calls)} height="1" />
    {[...new Set(broken)].map((call) => (
      <rect key={call} class="breaks" x={call} width={Math.max(1, calls / 200)} height="1" />
    ))}
  </svg>
);

function Pins() {
  const { index, go } = useInspector();
  const { pins } = index.value;
  const calls = index.value.calls.at.length;
  if (pins.length === 0)
    return (
      <Section title="Standing instructions">
        <p class="quiet">There are no instructions that must stay in every request.</p>
      </Section>
    );
  return (
    <Section title="Standing instructions × calls" note={whole(pins.length)}>
      <table class="plain-table rules">
        <tbody>
          {pins.map((pin) => (
            <tr key={pin.id}>
              <th scope="row">
                {pin.message < 0 ? (
                  pin.authority
                ) : (
                  <button type="button" class="link" onClick={() => go({ view: "why", message: pin.message })}>
                    #{pin.message}
                  </button>
                )}{" "}
                <span class="quiet">{pin.origin}</span>
              </th>
              <td class={pin.liftedAt === null ? "" : "quiet"}>
                <q>{onOneLine(pin.text)}</q> {liftedWords(pin, index.value.calls)}
                {pin.liftedIn >= 0 && (
                  <>
                    {" "}
                    in{" "}
                    <button type="button" class="link" onClick={() => go({ view: "why", message: pin.liftedIn })}>
                      #{pin.liftedIn}
                    </button>
                  </>
                )}
              </td>
              <td class="strip-cell">
                <span class="unseen">
                  {pin.missing.length === 0 ? "in every request" : `missing from ${count(pin.missing.length, "call")}`}
                </span>
                <RuleStrip calls={calls} broken={pin.missing} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
