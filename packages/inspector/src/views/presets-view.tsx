import type { ComparedPolicy, PresetComparison } from "@threadfold/inspection/rows";
import { useState } from "preact/hooks";
import { FrontierChart, RunChart } from "../chart/preset-charts.tsx";
import { count, short, whole } from "../format/figures.ts";
import { FigureTable } from "../parts/figure-table.tsx";
import { Empty, Scrolled, Section } from "../parts/section.tsx";
import { Segments } from "../parts/segments.tsx";
import { useInspector } from "../state/inspector.ts";

/** Presets against each other on the same logs: what each costs, and what it forgets. */
export function PresetsView() {
  const { comparison } = useInspector().index.value;
  if (comparison === null)
    return (
      <Empty title="Presets were not compared.">
        <code>threadfold inspect … --presets</code> replays this log under every preset.
      </Empty>
    );
  if (comparison.policies.length === 0)
    return (
      <Empty title="The log fits into every budget, so no preset has anything to do.">
        A smaller budget would say more.
      </Empty>
    );
  return <Compared comparison={comparison} />;
}

function Compared({ comparison }: { readonly comparison: PresetComparison }) {
  const budgets = [...new Set(comparison.policies.map(({ budget }) => budget))];
  const [budget, setBudget] = useState(budgets[0] ?? 0);
  const policies = comparison.policies.filter((policy) => policy.budget === budget);
  const [chosen, choose] = useState(policies[0]?.policy ?? "");
  return (
    <Scrolled class="page presets" label="Presets">
      <div class="bar">
        <h2>
          Presets within {whole(budget)} tokens{" "}
          <span class="quiet">
            {count(sessionsAt(comparison, budget).length, "session")}, summaries: {comparison.summarizer}
          </span>
        </h2>
        {budgets.length > 1 && (
          <Segments
            label="Budget"
            options={budgets.map((tokens) => [String(tokens), short(tokens)] as const)}
            chosen={String(budget)}
            onChange={(tokens) => setBudget(Number(tokens))}
          />
        )}
      </div>
      <Section title="Memory against cost" note="up is better, left is cheaper">
        <FrontierChart policies={policies} chosen={chosen} onChoose={choose} />
      </Section>
      {comparison.groups.map(({ title, columns, notes }, group) => (
        <Section key={title} title={title}>
          <FigureTable
            titles={["Policy", ...columns]}
            rows={policies.map((policy) => ({
              key: policy.policy,
              class: policy.policy === chosen ? "chosen" : policy.isBaseline ? "baseline" : "",
              cells: [<PolicyName key="name" policy={policy} onChoose={choose} />, ...(policy.figures[group] ?? [])],
            }))}
          />
          <ul class="notes">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Section>
      ))}
      <Runs comparison={comparison} budget={budget} chosen={chosen} />
      <ShownSession />
    </Scrolled>
  );
}

const PolicyName = ({
  policy,
  onChoose,
}: {
  readonly policy: ComparedPolicy;
  readonly onChoose: (name: string) => void;
}) => (
  <button type="button" class="link" onClick={() => onChoose(policy.policy)}>
    {policy.policy}
  </button>
);

const sessionsAt = ({ sessions }: PresetComparison, budget: number) =>
  sessions.filter(({ budgets }) => budgets.includes(budget));

interface RunsProps {
  readonly comparison: PresetComparison;
  readonly budget: number;
  readonly chosen: string;
}

/** One session call by call, with the chosen policy in front of the others. */
function Runs({ comparison, budget, chosen }: RunsProps) {
  const sessions = sessionsAt(comparison, budget);
  const [name, setName] = useState(sessions[0]?.name ?? "");
  const session = sessions.find((one) => one.name === name) ?? sessions[0];
  if (session === undefined) return null;
  const series = comparison.series.filter((one) => one.budget === budget && one.session === session.name);
  const runs = (of: "tokens" | "bill") => series.map((one) => ({ policy: one.policy, values: one[of] }));
  return (
    <Section
      title="Call by call"
      note={`${session.name}: ${count(session.calls, "call")}, ${short(session.tokens)} tokens in all; ${chosen} is the bold line`}
    >
      {sessions.length > 1 && (
        <label class="check">
          Session
          <select value={session.name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
            {sessions.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </label>
      )}
      <RunChart title="Tokens of each request" runs={runs("tokens")} chosen={chosen} />
      <RunChart title="Paid so far, in uncached input tokens" runs={runs("bill")} chosen={chosen} />
    </Section>
  );
}

/** The folds of the session that the other views show: links lead to each. */
function ShownSession() {
  const { index, go } = useInspector();
  const { source, plans, calls } = index.value;
  if (!source.simulated || plans.length === 0) return null;
  return (
    <Section title="Folds" note={`of ${source.name}, as the other views of this page show it`}>
      <FigureTable
        titles={["Plan", "First call", "Without folding", "Request"]}
        rows={plans.map(({ version, firstCall, originalTokens, compactedTokens }) => ({
          key: String(version),
          cells: [
            <button
              key="plan"
              type="button"
              class="link"
              onClick={() => go({ view: "plans", plans: [version - 1, version] })}
            >
              plan {version}
            </button>,
            firstCall < 0 ? (
              "–"
            ) : (
              <button
                key="call"
                type="button"
                class="link"
                onClick={() => go({ view: "request", mode: "difference", call: firstCall })}
              >
                call {whole(firstCall + 1)} of {whole(calls.at.length)}
              </button>
            ),
            whole(originalTokens),
            whole(compactedTokens),
          ],
        }))}
      />
    </Section>
  );
}
