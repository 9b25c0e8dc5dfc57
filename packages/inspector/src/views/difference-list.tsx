import { diffLines } from "diff";
import { useMemo, useState } from "preact/hooks";
import { short, whole } from "../format/figures.ts";
import { type DifferenceRow, requestDifference } from "../model/difference.ts";
import { Opened } from "../parts/body-view.tsx";
import { Cell, RowBody } from "../parts/cell.tsx";
import { plainText, UNASKED } from "../parts/long-text.tsx";
import { Rows } from "../parts/rows.tsx";
import { Empty } from "../parts/section.tsx";
import { breakPrice } from "../parts/words.tsx";
import { bodyText } from "../source/body-reader.ts";
import { useInspector } from "../state/inspector.ts";
import { useLoaded } from "../state/loaded.ts";
import { useUnfolded } from "../state/row-keys.ts";
import { BlockCells } from "./block-cells.tsx";

/**
 * Rows shown at the beginning and at the end of a run; the rows in between are one row until the reader asks for them.
 */
const AROUND = 3;

/** The difference between a call's request and the one before, block by block. */
export function DifferenceList() {
  const { index, call, move } = useInspector();
  const tables = index.value;
  const at = call.value;
  const rows = useMemo(() => requestDifference(tables, at - 1, at), [tables, at]);
  const [open, unfold] = useUnfolded<string>();
  const [chosen, setChosen] = useState(0);
  const [asked, ask] = useUnfolded<number>();
  const shown = useMemo(() => shortened(rows, asked), [rows, asked]);
  if (at === 0) return <Empty title="This is the first call: there is nothing before it to compare with." />;
  const choose = (row: number): void => {
    setChosen(row);
    const one = shown[row];
    const from = one === undefined || one.kind === "skipped" ? -1 : (tables.blocks.from[one.place] ?? -1);
    if (from >= 0) move({ message: from });
  };
  const keyAt = (row: number): string => rowKey(shown[row]);
  const unfoldRow = (row: number, isOpen: boolean): void => {
    const one = shown[row];
    if (one?.kind === "skipped") ask(one.first, isOpen);
    else unfold(keyAt(row), isOpen);
  };
  return (
    <>
      <DifferenceHead rows={rows} />
      <Rows
        label={`Difference from call ${at} to call ${at + 1}`}
        className="block-rows difference-rows"
        length={shown.length}
        chosen={Math.min(chosen, shown.length - 1)}
        onChoose={choose}
        onUnfold={unfoldRow}
        onEnter={(row) => unfoldRow(row, true)}
        keyOf={keyAt}
        rowClass={(row) => rowClass(shown[row])}
      >
        {(row) => {
          const one = shown[row];
          if (one === undefined) return null;
          if (one.kind === "skipped") return <SkippedCells run={one} onAsk={() => ask(one.first, true)} />;
          return (
            <>
              <BlockCells
                index={tables}
                place={one.place}
                isOpen={open.has(keyAt(row)) && one.before < 0}
                onUnfold={(isOpen) => unfold(keyAt(row), isOpen)}
                mark={<b class="mark">{MARKS[one.kind]}</b>}
              />
              {open.has(keyAt(row)) && one.before >= 0 && <TextDifference before={one.before} after={one.place} />}
            </>
          );
        }}
      </Rows>
    </>
  );
}

const MARKS: Readonly<Record<DifferenceRow["kind"], string>> = { same: "", removed: "−", added: "+" };

/** Rows that are left out: `rows`, all of one kind, starting at row `first`. */
interface SkippedRun {
  readonly kind: "skipped";
  readonly of: DifferenceRow["kind"];
  readonly first: number;
  readonly rows: readonly DifferenceRow[];
}

type Shown = DifferenceRow | SkippedRun;

const rowKey = (row: Shown | undefined): string =>
  row === undefined ? "" : row.kind === "skipped" ? `skipped ${row.first}` : `${row.kind} ${row.place}`;

const rowClass = (row: Shown | undefined): string => (row?.kind === "skipped" ? row.of : (row?.kind ?? ""));

/** Leaves out the middle of long runs of one kind, except those that the reader asked for, by their first row. */
function shortened(rows: readonly DifferenceRow[], asked: ReadonlySet<number>): readonly Shown[] {
  const shown: Shown[] = [];
  for (let start = 0, end = 0; start < rows.length; start = end) {
    const kind = rows[start]?.kind ?? "same";
    end = start;
    while (rows[end]?.kind === kind) end++;
    const [first, last] = [start + AROUND, end - AROUND];
    if (last - first < AROUND || asked.has(first)) shown.push(...rows.slice(start, end));
    else {
      const skipped: SkippedRun = { kind: "skipped", of: kind, first, rows: rows.slice(first, last) };
      shown.push(...rows.slice(start, first), skipped, ...rows.slice(last, end));
    }
  }
  return shown;
}

const SKIPPED: Readonly<Record<DifferenceRow["kind"], string>> = {
  same: "more unchanged",
  removed: "more removed",
  added: "more added",
};

function SkippedCells({ run, onAsk }: { readonly run: SkippedRun; readonly onAsk: () => void }) {
  const { blocks } = useInspector().index.value;
  const tokens = run.rows.reduce((sum, { place }) => sum + (blocks.tokens[place] ?? 0), 0);
  return (
    <>
      <Cell class="skipped">
        <button type="button" class="link" tabIndex={-1} onClick={onAsk}>
          {whole(run.rows.length)} {SKIPPED[run.of]}
        </button>
      </Cell>
      <Cell />
      <Cell class="number quiet">{whole(tokens)}</Cell>
    </>
  );
}

function DifferenceHead({ rows }: { readonly rows: readonly DifferenceRow[] }) {
  const { index, call } = useInspector();
  const { blocks, breaks, calls } = index.value;
  const broken = breaks[calls.break[call.value] ?? -1];
  const sum = (kind: DifferenceRow["kind"]): number =>
    rows.reduce((all, row) => all + (row.kind === kind ? (blocks.tokens[row.place] ?? 0) : 0), 0);
  return (
    <div class={broken === undefined ? "notice" : "notice bad-notice"}>
      <p>
        {broken === undefined ? (
          <>
            <strong>It continues call {whole(call.value)}</strong>: everything before is unchanged, so the cache can be
            read.
          </>
        ) : (
          <>
            <strong>It diverges{broken.byte !== null && ` at byte ${whole(broken.byte)}`}</strong>, in block{" "}
            {broken.block}: {broken.reason}. {breakPrice(broken)}
          </>
        )}{" "}
        <span class="number">
          −{short(sum("removed"))} +{short(sum("added"))} tokens
        </span>
      </p>
    </div>
  );
}

interface PairProps {
  readonly before: number;
  readonly after: number;
}

/** Two blocks for the same messages, compared line by line. */
function TextDifference({ before, after }: PairProps) {
  const { bodies, index } = useInspector();
  const reader = bodies.value;
  const { blocks } = index.value;
  const textOf = async (place: number): Promise<string | undefined> => {
    const text = blocks.text[place] ?? -1;
    if (text >= 0) return (await reader.text(text))?.text;
    const body = await reader.message(blocks.from[place] ?? -1);
    return body === undefined ? undefined : bodyText(body);
  };
  const texts = useLoaded(async () => {
    const [left, right] = await Promise.all([textOf(before), textOf(after)]);
    return left === undefined || right === undefined ? undefined : ([left, right] as const);
  }, [reader, before, after]);
  return (
    <RowBody>
      <Opened body={texts}>{([left, right]) => <Lines left={left} right={right} />}</Opened>
    </RowBody>
  );
}

function Lines({ left, right }: { readonly left: string; readonly right: string }) {
  const pieces = useMemo(
    () => diffLines(left.slice(0, UNASKED), right.slice(0, UNASKED), { timeout: 300 }) ?? whollyOther(left, right),
    [left, right],
  );
  return (
    <pre class="text lines">
      {pieces.map(({ value, added, removed }, at) => (
        <span key={at} class={added ? "added" : removed ? "removed" : "same"}>
          {plainText(value)}
        </span>
      ))}
    </pre>
  );
}

const whollyOther = (left: string, right: string) => [
  { value: `${left.slice(0, UNASKED)}\n`, added: false, removed: true },
  { value: right.slice(0, UNASKED), added: true, removed: false },
];
