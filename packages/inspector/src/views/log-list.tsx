import type { InspectionIndex } from "@threadfold/inspection/rows";
import { useMemo, useState } from "preact/hooks";
import { whole } from "../format/figures.ts";
import { messageName, toolsOf } from "../model/block-label.ts";
import type { MessagesAt } from "../model/messages-at.ts";
import { MessageView } from "../parts/body-view.tsx";
import { Cell, RowBody } from "../parts/cell.tsx";
import { ChoiceChips } from "../parts/choice-chips.tsx";
import { onOneLine } from "../parts/long-text.tsx";
import { Rows } from "../parts/rows.tsx";
import { UnfoldButton } from "../parts/unfold-button.tsx";
import { ActionChip } from "../parts/words.tsx";
import { useInspector } from "../state/inspector.ts";
import { useUnfolded } from "../state/row-keys.ts";
import { Who } from "./block-cells.tsx";
import { actionChoices } from "./block-list.tsx";

/**
 * Every message that the thread had at a call. Those that its request does not show unchanged are dimmed and say why.
 */
export function LogList() {
  const { index, messages, place, go, move } = useInspector();
  const tables = index.value;
  const at = messages.value;
  const [actions, setActions] = useState<ReadonlySet<string>>(new Set());
  const [open, unfold] = useUnfolded<number>();
  const all = useMemo(() => Array.from({ length: at.length }, (_, ordinal) => at.actionOf(ordinal)), [at]);
  const ordinals = useMemo(
    () => all.flatMap((action, ordinal) => (actions.size === 0 || actions.has(action) ? [ordinal] : [])),
    [all, actions],
  );
  const ordinalAt = (row: number): number => ordinals[row] ?? -1;
  return (
    <>
      <div class="bar">
        <ChoiceChips label="Action" choices={actionChoices(all)} chosen={actions} onChange={setActions} />
      </div>
      <Rows
        label="Log"
        className="log-rows"
        length={ordinals.length}
        chosen={place.value.message === null ? -1 : ordinals.indexOf(place.value.message)}
        onChoose={(row) => move({ message: ordinalAt(row) })}
        onEnter={(row) => go({ view: "why", message: ordinalAt(row) })}
        onUnfold={(row, isOpen) => unfold(ordinalAt(row), isOpen)}
        keyOf={ordinalAt}
        rowClass={(row) => (all[ordinalAt(row)] === "include" ? "" : "dim")}
      >
        {(row) => (
          <LogCells
            tables={tables}
            at={at}
            ordinal={ordinalAt(row)}
            isOpen={open.has(ordinalAt(row))}
            onUnfold={(isOpen) => unfold(ordinalAt(row), isOpen)}
          />
        )}
      </Rows>
    </>
  );
}

interface LogCellsProps {
  readonly tables: InspectionIndex;
  readonly at: MessagesAt;
  readonly ordinal: number;
  readonly isOpen: boolean;
  readonly onUnfold: (isOpen: boolean) => void;
}

function LogCells({ tables, at, ordinal, isOpen, onUnfold }: LogCellsProps) {
  const record = tables.records[at.recordOf(ordinal)];
  const title = tables.messages.title[ordinal] || messageName(tables, ordinal);
  return (
    <>
      <Cell class="place">#{ordinal}</Cell>
      <Cell>
        <UnfoldButton isOpen={isOpen} what={title} onChange={onUnfold} />
      </Cell>
      <Who role={tables.messages.role[ordinal] ?? "user"} tools={toolsOf(tables, ordinal)} />
      <Cell class="cut">
        <span class="said">{onOneLine(title)}</span>
        {record !== undefined && <span class="because">{record.reason}</span>}
      </Cell>
      <Cell>
        <ActionChip action={at.actionOf(ordinal)} />
      </Cell>
      <Cell class="number">{whole(tables.messages.tokens[ordinal] ?? 0)}</Cell>
      {isOpen && (
        <RowBody>
          <MessageView ordinal={ordinal} />
        </RowBody>
      )}
    </>
  );
}
