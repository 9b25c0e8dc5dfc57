import { type PromptPiece, type PromptPolicy, pieceOf } from "@threadfold/simulation";
import type { Message } from "threadfold";

/** Counting every message once as it arrives: no policy that knows the size of its prompt can do with less. */
export const COUNTING = "count each message once";
/** Copying the bytes of the prompt: nothing that returns a new prompt can do with less. */
export const COPYING = "memcpy of the prompt";

/**
 * Returns the physical floor with this name, or undefined. It shows the newest messages that fit and times one thing.
 */
export function physicalFloor(id: string): PromptPolicy | undefined {
  if (id === COUNTING) return floorOf(id, (added, _window, countTokens) => timed(() => countAll(added, countTokens)));
  if (id === COPYING) return floorOf(id, (_added, window) => copied(window));
  return undefined;
}

type CountTokens = (text: string) => number;

function floorOf(
  id: string,
  measure: (added: readonly Message[], window: readonly PromptPiece[], countTokens: CountTokens) => number,
): PromptPolicy {
  return {
    id,
    begin: async ({ budgetTokens, countTokens }) => {
      let window: readonly PromptPiece[] = [];
      return {
        prompt: async (added) => {
          window = newest([...window, ...added.map((message) => pieceOf(message))], budgetTokens, countTokens);
          const milliseconds = measure(added, window, countTokens);
          return { messages: window, summaryCalls: [], committed: false, violations: 0, milliseconds };
        },
        end: async () => undefined,
      };
    },
  };
}

function countAll(messages: readonly Message[], countTokens: CountTokens): number {
  return messages.reduce((sum, message) => sum + countTokens(pieceOf(message).text), 0);
}

function copied(window: readonly PromptPiece[]): number {
  const bytes = Buffer.from(window.map(({ text }) => text).join("\n"));
  const target = Buffer.allocUnsafe(bytes.length);
  return timed(() => bytes.copy(target));
}

function newest(pieces: readonly PromptPiece[], budget: number, countTokens: CountTokens): readonly PromptPiece[] {
  let left = budget;
  let start = pieces.length;
  while (start > 0 && left >= 0) left -= countTokens(pieces[--start]?.text ?? "");
  return pieces.slice(left < 0 ? start + 1 : start);
}

function timed(work: () => number): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
