import { useMemo, useState } from "preact/hooks";
import { count, dayAndTime, short, whole } from "../format/figures.ts";
import { messageName, toolsOf } from "../model/block-label.ts";
import { attemptsSincePlan, type TrailStep, trailOf } from "../model/trail.ts";
import { MessageView } from "../parts/body-view.tsx";
import { Cell } from "../parts/cell.tsx";
import { ChoiceChips } from "../parts/choice-chips.tsx";
import { Command, shellCommand } from "../parts/copy-button.tsx";
import { onOneLine } from "../parts/long-text.tsx";
import { Rows } from "../parts/rows.tsx";
import { Empty, Scrolled, Section } from "../parts/section.tsx";
import { ACTIONS, ActionChip, outcomeWords } from "../parts/words.tsx";
import { useInspector } from "../state/inspector.ts";
import { WhoName } from "./block-cells.tsx";
import { actionChoices } from "./block-list.tsx";
import { Recovery } from "./recovery.tsx";

/** The trail of one message over the plans, next to the list of messages. */
export function WhyView() {
  const { index, place } = useInspector();
  const { message } = place.value;
  const isThere = message !== null && message < index.value.messages.id.length;
  return (
    <div class="with-list">
      <MessageList />
      {isThere ? (
        <Trail key={message} ordinal={message} />
      ) : (
        <Empty title="Choose a message.">
          Its trail says what every plan did with it, by which rule, and where it is now.
        </Empty>
      )}
    </div>
  );
}

function MessageList() {
  const { index, place, move } = useInspector();
  const { messages } = index.value;
  const [states, setStates] = useState<ReadonlySet<string>>(new Set());
  const ordinals = useMemo(
    () => messages.state.flatMap((state, ordinal) => (states.size === 0 || states.has(state) ? [ordinal] : [])),
    [messages, states],
  );
  const ordinalAt = (row: number): number => ordinals[row] ?? -1;
  return (
    <nav class="list" aria-label="Messages">
      <ChoiceChips
        label="Where it is now"
        choices={actionChoices(messages.state)}
        chosen={states}
        onChange={setStates}
      />
      <Rows
        label="Messages"
        className="message-rows"
        length={ordinals.length}
        chosen={place.value.message === null ? -1 : ordinals.indexOf(place.value.message)}
        onChoose={(row) => move({ message: ordinalAt(row) })}
        keyOf={ordinalAt}
      >
        {(row) => {
          const ordinal = ordinalAt(row);
          return (
            <>
              <Cell class="place">#{ordinal}</Cell>
              <Cell>
                <i class={`dot tone-${ACTIONS[messages.state[ordinal] ?? "include"][1]}`} />
                <span class="unseen">{ACTIONS[messages.state[ordinal] ?? "include"][0]}</span>
              </Cell>
              <Cell class="cut">{onOneLine(messages.title[ordinal] || messageName(index.value, ordinal))}</Cell>
              <Cell class="number">{short(messages.tokens[ordinal] ?? 0)}</Cell>
            </>
          );
        }}
      </Rows>
    </nav>
  );
}

/** Why a message is still shown unchanged although folds were due since the newest plan. */
function NotFolded() {
  const attempts = attemptsSincePlan(useInspector().index.value);
  const newest = attempts.at(-1);
  if (newest === undefined) return null;
  return (
    <p class="notice">
      <strong>Why it is not folded</strong>: {count(attempts.length, "fold")} attempted since the newest plan made no
      new plan. The last, {newest.call < 0 ? "before the first call" : `after call ${whole(newest.call + 1)}`}:{" "}
      {outcomeWords(newest)}.
    </p>
  );
}

function Trail({ ordinal }: { readonly ordinal: number }) {
  const { index, call, go } = useInspector();
  const tables = index.value;
  const { messages } = tables;
  const steps = useMemo(() => trailOf(tables, ordinal), [tables, ordinal]);
  const explain = tables.source.commands?.explain;
  return (
    <Scrolled class="trail" label={`Message ${ordinal}`}>
      <header class="panel-head">
        <h2>
          Message #{ordinal} <ActionChip action={messages.state[ordinal] ?? "include"} />
        </h2>
        <p class="quiet">
          <WhoName role={messages.role[ordinal] ?? "user"} tools={toolsOf(tables, ordinal)} /> · turn{" "}
          {messages.turn[ordinal]}, step {messages.step[ordinal]} · {whole(messages.tokens[ordinal] ?? 0)} tokens ·{" "}
          {dayAndTime(messages.at[ordinal] ?? null)} · <code>{messages.id[ordinal]}</code>
        </p>
      </header>
      <Section title="What happened to it">
        {steps.length === 0 && <p class="quiet">No call has shown it yet.</p>}
        {messages.state[ordinal] === "include" && <NotFolded />}
        <ol class="steps">
          {steps.map((step) => (
            <Step key={`${step.plan}-${step.call}`} step={step} tokens={messages.tokens[ordinal] ?? 0} />
          ))}
        </ol>
        <p>
          <button type="button" class="link" onClick={() => go({ view: "request", mode: "log", message: ordinal })}>
            See it in the log at call {whole(call.value + 1)}
          </button>
        </p>
      </Section>
      <Recovery ordinal={ordinal} />
      <Section title="What it says">
        <MessageView ordinal={ordinal} />
      </Section>
      {explain !== undefined && (
        <Section title="In the terminal">
          <Command
            what="the command that explains it"
            text={shellCommand(explain, { message: messages.id[ordinal] ?? "" })}
          />
        </Section>
      )}
    </Scrolled>
  );
}

function Step({ step, tokens }: { readonly step: TrailStep; readonly tokens: number }) {
  const { go } = useInspector();
  const [word, tone] = ACTIONS[step.action];
  const { record } = step;
  return (
    <li>
      <i class={`dot tone-${tone}`} />
      <div>
        <p>
          <strong>{record === null ? (step.plan === 0 ? "shown as it is" : "shown again") : word}</strong>{" "}
          {step.call >= 0 ? (
            <button
              type="button"
              class="link"
              onClick={() => go({ view: "request", mode: "difference", call: step.call })}
            >
              from call {whole(step.call + 1)}
            </button>
          ) : (
            <span class="quiet">before any call was made</span>
          )}
          {step.plan > 0 && <span class="quiet">, by plan {step.plan}</span>}
        </p>
        {record !== null && (
          <>
            <p>{record.reason}</p>
            <p class="quiet">
              Rung <code>{record.strategy}</code>
              {step.limit !== null && <>, with room for {whole(step.limit)} tokens</>}
              {record.messages > 1 && <>, together with {whole(record.messages - 1)} others</>}:{" "}
              <span class="number">
                {short(record.originalTokens)} → {step.tokens === null ? "–" : short(step.tokens)}
              </span>{" "}
              tokens
            </p>
          </>
        )}
        {record === null && <p class="quiet number">{whole(tokens)} tokens</p>}
      </div>
    </li>
  );
}
