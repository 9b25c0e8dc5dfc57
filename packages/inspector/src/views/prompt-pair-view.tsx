import { useMemo, useState } from "preact/hooks";
import { whole } from "../format/figures.ts";
import { type PairedLine, type PromptFile, type PromptPair, pairedLines, shownRuns } from "../model/prompt-pair.ts";
import { Command } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { plainText } from "../parts/long-text.tsx";
import { Scrolled } from "../parts/section.tsx";
import { Segments } from "../parts/segments.tsx";

/** A golden prompt next to the one produced now, from the first difference on. */
export function PromptPairView({ pair }: { readonly pair: PromptPair }) {
  const { name, findings, accept, files } = pair;
  const [chosen, choose] = useState(files[0]?.name ?? "");
  const file = files.find((one) => one.name === chosen);
  return (
    <>
      <header class="top">
        <div class="heading">
          <span class="logo">
            <Icon name="fold" />
          </span>
          <div>
            <h1 class="cut">{name}</h1>
            <p class="quiet cut">differs from the golden prompt</p>
          </div>
        </div>
      </header>
      <main class="view view-prompts">
        <section class="pair-head">
          {findings.map((finding) => (
            <p key={finding}>{finding}</p>
          ))}
          <p class="quiet">If this is intended:</p>
          <Command what="the command that accepts it" text={accept} />
          <Segments
            label="File"
            options={files.map((one) => [one.name, one.name] as const)}
            chosen={chosen}
            onChange={choose}
          />
        </section>
        {file !== undefined && <Pair key={file.name} file={file} />}
      </main>
    </>
  );
}

function Pair({ file }: { readonly file: PromptFile }) {
  const rows = useMemo(() => pairedLines(file), [file]);
  const runs = useMemo(() => shownRuns(rows), [rows]);
  const [asked, ask] = useState<ReadonlySet<number>>(new Set());
  return (
    <Scrolled class="pair" label={`${file.name}, golden and new side by side`}>
      <table>
        <colgroup>
          <col class="line-numbers" />
          <col />
          <col class="line-numbers" />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th scope="col" colSpan={2}>
              Golden{file.before === null && ": none"}
            </th>
            <th scope="col" colSpan={2}>
              Now{file.after === null && ": no longer produced"}
            </th>
          </tr>
        </thead>
        {runs.map(({ first, end, isShown }) => (
          <tbody key={first}>
            {isShown || asked.has(first) ? (
              rows.slice(first, end).map((row, at) => <Line key={first + at} row={row} />)
            ) : (
              <tr class="skipped">
                <td colSpan={4}>
                  <button type="button" class="link" onClick={() => ask(new Set([...asked, first]))}>
                    {whole(end - first)} identical lines
                  </button>
                </td>
              </tr>
            )}
          </tbody>
        ))}
      </table>
    </Scrolled>
  );
}

const Line = ({ row: { kind, before, after } }: { readonly row: PairedLine }) => (
  <tr class={kind}>
    <Side side={before} name="removed" />
    <Side side={after} name="added" />
  </tr>
);

const Side = ({ side, name }: { readonly side: PairedLine["before"]; readonly name: string }) => (
  <>
    <td class="line-number">{side === null ? "" : side.line}</td>
    <td class={side === null ? "nothing" : name} dir="auto">
      {side === null ? "" : plainText(side.text)}
    </td>
  </>
);
