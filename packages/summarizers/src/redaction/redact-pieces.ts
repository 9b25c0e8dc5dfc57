import { redactionMarker, type SecretStretch, secretStretches } from "./redact-secrets.ts";
import { startBefore } from "./start-before.ts";

/**
 * Texts that follow each other, without the secrets that are split over them: the marker stands where the secret begins,
 * and what of it stands in the texts behind is gone. A secret that one text holds alone is left to {@link redactSecrets}.
 * The same list when nothing is split.
 */
export async function redactPieces(texts: readonly string[]): Promise<readonly string[]> {
  const starts: number[] = [];
  let length = 0;
  for (const text of texts) {
    starts.push(length);
    length += text.length;
  }
  const pieceAt = (position: number): number => startBefore(starts, position);
  const split = (await secretStretches(texts.join(""))).filter(({ start, end }) => pieceAt(start) !== pieceAt(end - 1));
  if (split.length === 0) return texts;
  let next = 0;
  return texts.map((text, piece) => {
    const from = starts[piece] as number;
    let clean = "";
    let position = 0;
    while (next < split.length && (split[next]?.end as number) <= from) next++;
    for (let index = next; index < split.length; index++) {
      const { start, end, kind } = split[index] as SecretStretch;
      if (start >= from + text.length) break;
      clean += text.slice(position, Math.max(position, start - from));
      if (start >= from) clean += redactionMarker(kind);
      position = Math.min(text.length, end - from);
    }
    return clean + text.slice(position);
  });
}
