import { sharedLength } from "../requests/request-tables.ts";
import type { PayloadDifference } from "../rows/bodies.ts";
import { type Revision, RowList } from "../rows/table.ts";

/**
 * A chunk begins with a whole payload; it takes this many times its size in differences before the next chunk begins.
 */
const DIFFERENCES_A_PAYLOAD = 4;

/** Payloads of consecutive calls, as differences, in chunks that can each be read separately. */
export class PayloadList {
  readonly differences: PayloadDifference[] = [];
  /** Where chunks begin. */
  readonly starts: RowList<number>;
  #before: string | null = null;
  /** Characters of differences that the newest chunk can still take. */
  #room = 0;

  constructor(revision: Revision) {
    this.starts = new RowList(revision);
  }

  /**
   * @param text null if the payload cannot be rendered.
   */
  take(text: string | null): void {
    const insert = text === null ? null : differenceTo(this.#before, text);
    const begins = this.starts.rows.length === 0 || (insert !== null && insert.insert.length > this.#room);
    if (begins) {
      this.starts.push(this.differences.length);
      this.#room = DIFFERENCES_A_PAYLOAD * (text ?? "").length;
      this.differences.push(text === null ? null : { start: 0, end: 0, insert: text });
    } else {
      this.#room -= insert?.insert.length ?? 0;
      this.differences.push(insert);
    }
    this.#before = text;
  }
}

function differenceTo(before: string | null, text: string): NonNullable<PayloadDifference> {
  if (before === null) return { start: 0, end: 0, insert: text };
  const start = sharedLength(before, text);
  const end = sharedEnd(before, text, Math.min(before.length, text.length) - start);
  return { start, end, insert: ownText(text.slice(start, text.length - end)) };
}

/** A slice keeps the whole payload that it was cut from in memory, and a thread has thousands of payloads. */
const ownText = (slice: string): string => Buffer.from(slice, "utf16le").toString("utf16le");

/** Returns how many of `most` code units two texts have in common at their end. */
function sharedEnd(a: string, b: string, most: number): number {
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length++;
  return length;
}
