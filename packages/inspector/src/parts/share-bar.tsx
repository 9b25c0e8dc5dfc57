import { percent, whole } from "../format/figures.ts";

/** A part of a whole: its name, the name of its colour, and its size. */
export interface Share {
  readonly name: string;
  readonly tone: string;
  readonly value: number;
}

/** A whole as a bar of its parts. {@link ShareTable} names them. */
export const ShareBar = ({ shares, all }: { readonly shares: readonly Share[]; readonly all: number }) => (
  <div class="share-bar" aria-hidden="true">
    {shares.map(({ name, tone, value }) =>
      value > 0 ? <span key={name} class={`tone-${tone}`} style={{ width: `${(100 * value) / all}%` }} /> : null,
    )}
  </div>
);

/** The parts of a whole with their figures. Parts of size 0 are left out. */
export const ShareTable = ({
  shares,
  all,
  caption,
}: {
  readonly shares: readonly Share[];
  readonly all: number;
  readonly caption: string;
}) => (
  <table class="shares">
    <caption class="unseen">{caption}</caption>
    <tbody>
      {shares
        .filter(({ value }) => value > 0)
        .map(({ name, tone, value }) => (
          <tr key={name}>
            <th scope="row">
              <i class={`dot tone-${tone}`} />
              {name}
            </th>
            <td>{whole(value)}</td>
            <td class="quiet">{all === 0 ? "" : percent(value / all)}</td>
          </tr>
        ))}
    </tbody>
  </table>
);
