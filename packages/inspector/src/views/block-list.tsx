import { useMemo, useState } from "preact/hooks";
import { whole } from "../format/figures.ts";
import { type CacheState, cacheStates } from "../model/block-tokens.ts";
import { type Choice, ChoiceChips, countBy } from "../parts/choice-chips.tsx";
import { Rows } from "../parts/rows.tsx";
import { Segments } from "../parts/segments.tsx";
import { ACTIONS } from "../parts/words.tsx";
import { useInspector } from "../state/inspector.ts";
import { useUnfolded } from "../state/row-keys.ts";
import { BlockCells } from "./block-cells.tsx";

type Order = "sent" | "largest";

/** The request of a call, block by block. */
export function BlockList() {
  const { index, call, blocks, place, go, move } = useInspector();
  const tables = index.value;
  const [order, setOrder] = useState<Order>("sent");
  const [actions, setActions] = useState<ReadonlySet<string>>(new Set());
  const [open, unfold] = useUnfolded<number>();
  const states = useMemo(() => cacheStates(tables, call.value, blocks.value), [tables, call.value, blocks.value]);
  const positions = useMemo(
    () => positionsOf(blocks.value, tables.blocks, actions, order),
    [blocks.value, tables, actions, order],
  );
  const placeAt = (row: number): number => blocks.value[positions[row] ?? -1] ?? -1;
  const chosen = positions.findIndex((position) =>
    isShowing(tables.blocks, blocks.value[position] ?? -1, place.value.message),
  );
  const [nameless, setNameless] = useState(0);
  const choose = (row: number): void => {
    const from = tables.blocks.from[placeAt(row)] ?? -1;
    setNameless(row);
    move({ message: from < 0 ? null : from });
  };
  return (
    <>
      <div class="bar">
        <ChoiceChips
          label="Action"
          choices={actionChoices(blocks.value.map((one) => tables.blocks.action[one] ?? "include"))}
          chosen={actions}
          onChange={setActions}
        />
        <Segments
          label="Order"
          options={[
            ["sent", "As sent"],
            ["largest", "Largest first"],
          ]}
          chosen={order}
          onChange={setOrder}
        />
      </div>
      <Rows
        label={`Request of call ${whole(call.value + 1)}`}
        className="block-rows"
        length={positions.length}
        chosen={chosen >= 0 ? chosen : place.value.message === null ? nameless : -1}
        onChoose={choose}
        onEnter={() => place.value.message !== null && go({ view: "why" })}
        onUnfold={(row, isOpen) => unfold(placeAt(row), isOpen)}
        keyOf={placeAt}
        rowClass={(row) => `cache-${states[positions[row] ?? 0] ?? ("fresh" satisfies CacheState)}`}
      >
        {(row) => (
          <BlockCells
            index={tables}
            place={placeAt(row)}
            isOpen={open.has(placeAt(row))}
            onUnfold={(isOpen) => unfold(placeAt(row), isOpen)}
          />
        )}
      </Rows>
      <p class="key-line quiet" aria-hidden="true">
        <i class="edge cache-cached" /> read from the cache <i class="edge cache-written" /> written to it{" "}
        <i class="edge cache-fresh" /> neither
      </p>
    </>
  );
}

type Blocks = ReturnType<typeof useInspector>["index"]["value"]["blocks"];

const isShowing = ({ from, to }: Blocks, place: number, message: number | null): boolean =>
  message !== null && (from[place] ?? -1) >= 0 && (from[place] ?? 0) <= message && message <= (to[place] ?? -1);

function positionsOf(
  places: readonly number[],
  { action, tokens }: Blocks,
  actions: ReadonlySet<string>,
  order: Order,
): readonly number[] {
  const positions = places.flatMap((place, position) =>
    actions.size === 0 || actions.has(action[place] ?? "") ? [position] : [],
  );
  const tokensAt = (position: number): number => tokens[places[position] ?? -1] ?? 0;
  return order === "sent" ? positions : positions.sort((a, b) => tokensAt(b) - tokensAt(a) || a - b);
}

/** Returns a choice for each action that occurs, in the order of {@link ACTIONS}. */
export function actionChoices(actions: readonly (keyof typeof ACTIONS)[]): readonly Choice[] {
  const counts = countBy(actions, String);
  return Object.entries(ACTIONS).flatMap(([value, [word, tone]]) => {
    const count = counts.get(value) ?? 0;
    return count === 0 ? [] : [{ value, word, tone, count }];
  });
}
