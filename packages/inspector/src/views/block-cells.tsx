import type { InspectionIndex } from "@threadfold/inspection/rows";
import { short, whole } from "../format/figures.ts";
import { blockLabel, toolsOf } from "../model/block-label.ts";
import { MessageView, TextView } from "../parts/body-view.tsx";
import { Cell, RowBody } from "../parts/cell.tsx";
import { onOneLine } from "../parts/long-text.tsx";
import { UnfoldButton } from "../parts/unfold-button.tsx";
import { ActionChip } from "../parts/words.tsx";

interface BlockCellsProps {
  readonly index: InspectionIndex;
  readonly place: number;
  readonly isOpen: boolean;
  readonly onUnfold: (isOpen: boolean) => void;
  /** Shown before the number of the message. */
  readonly mark?: preact.ComponentChildren;
}

/** The cells of a request's block: which messages, who, what, what was done with it, and how large it is. */
export function BlockCells({ index, place, isOpen, onUnfold, mark }: BlockCellsProps) {
  const { blocks } = index;
  const from = blocks.from[place] ?? -1;
  const to = blocks.to[place] ?? -1;
  const label = blockLabel(index, place);
  return (
    <>
      <Cell class="place">
        {mark}
        {from < 0 ? "" : from === to ? `#${from}` : `#${from}–${to}`}
      </Cell>
      <Cell>
        <UnfoldButton isOpen={isOpen} what={label} onChange={onUnfold} />
      </Cell>
      <Who role={blocks.role[place] ?? "user"} tools={from >= 0 && from === to ? toolsOf(index, from) : []} />
      <Cell class="cut">{onOneLine(label)}</Cell>
      <Cell>
        <ActionChip action={blocks.action[place] ?? "include"} />
      </Cell>
      <Cell class="number" title={`${whole(blocks.tokens[place] ?? 0)} tokens`}>
        {whole(blocks.tokens[place] ?? 0)}
      </Cell>
      {isOpen && <BlockBody index={index} place={place} />}
    </>
  );
}

interface WhoProps {
  readonly role: string;
  readonly tools: readonly string[];
}

/** The author of a message, as a cell of a row. */
export const Who = ({ role, tools }: WhoProps) => (
  <Cell class="who" title={tools.length === 0 ? role : `${role}: ${onOneLine(tools.join(", "))}`}>
    <WhoName role={role} tools={tools} />
  </Cell>
);

/** The author of a message: a role, and the tool for calls and results. */
export const WhoName = ({ role, tools }: WhoProps) => (
  <span class={`role-${role}`}>
    {tools.length === 0 ? (
      role
    ) : (
      <>
        <span class="quiet">{role === "tool" ? "← " : "→ "}</span>
        <code>{`${onOneLine(tools[0] ?? "")}${tools.length === 1 ? "" : ` +${tools.length - 1}`}`}</code>
      </>
    )}
  </span>
);

interface BlockBodyProps {
  readonly index: InspectionIndex;
  readonly place: number;
}

/** What a request shows of a block, and which decision made it so. */
function BlockBody({ index, place }: BlockBodyProps) {
  const { blocks, records } = index;
  const text = blocks.text[place] ?? -1;
  const from = blocks.from[place] ?? -1;
  const record = records[blocks.record[place] ?? -1];
  return (
    <RowBody>
      {record !== undefined && (
        <p class="quiet">
          By {record.strategy}, since plan {record.since}: {record.reason}
          {record.shownTokens !== null && ` (${short(record.originalTokens)} → ${short(record.shownTokens)} tokens)`}
        </p>
      )}
      {text >= 0 ? <TextView place={text} /> : from >= 0 ? <MessageView ordinal={from} /> : null}
    </RowBody>
  );
}
