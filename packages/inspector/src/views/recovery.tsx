import type { RecordRow } from "@threadfold/inspection/rows";
import { short } from "../format/figures.ts";
import { lastShownPlan } from "../model/trail.ts";
import { TextView } from "../parts/body-view.tsx";
import { Command, firstWords, shellCommand } from "../parts/copy-button.tsx";
import { Section } from "../parts/section.tsx";
import { useGoneSearch, useInspector } from "../state/inspector.ts";

/** Where a folded message is now, and how to bring it back. */
export function Recovery({ ordinal }: { readonly ordinal: number }) {
  const { messages, records } = useInspector().index.value;
  const record = records[messages.record[ordinal] ?? -1];
  return record === undefined ? null : <FoldedRecovery ordinal={ordinal} record={record} />;
}

function FoldedRecovery({ ordinal, record }: { readonly ordinal: number; readonly record: RecordRow }) {
  const { index } = useInspector();
  const search = useGoneSearch(ordinal, true);
  const { messages, blocks, source } = index.value;
  const place = blocks.record.lastIndexOf(messages.record[ordinal] ?? -1);
  const text = blocks.text[place] ?? -1;
  return (
    <>
      <Section title="Where it is now">
        <ul class="ways">
          <li>In the log, in full, like everything that was ever said.</li>
          {record.artifact !== null && (
            <li>
              In the artifact store, as <code>{record.artifact}</code>, for <code>read_artifact</code>.
            </li>
          )}
          {record.summarizer !== null && (
            <li>
              In a summary by <code>{record.summarizer}</code> of {record.messages} messages,{" "}
              {short(record.originalTokens)} tokens.
            </li>
          )}
          {search === undefined && <li class="quiet">Searching for it…</li>}
          {search === null && <li class="quiet">This file does not include search results for it.</li>}
          {search?.asked && <SearchWay query={search.query} rank={search.rank} />}
          {record.keywords.length > 0 && <li>Under the keywords: {record.keywords.join(", ")}.</li>}
        </ul>
        {text >= 0 && (
          <details>
            <summary>What requests show instead</summary>
            <TextView place={text} />
          </details>
        )}
      </Section>
      {source.commands !== null && (
        <Section title="Get it back">
          <p class="quiet">Restore the newest plan that showed it:</p>
          <Command
            what="the command that reverts"
            text={shellCommand(source.commands.revert, { plan: String(lastShownPlan(index.value, ordinal)) })}
          />
          <p class="quiet">Keep its first words in every request:</p>
          <Command
            what="the command that pins"
            text={shellCommand(source.commands.pin, { text: firstWords(messages.title[ordinal] ?? "") })}
          />
          {search != null && search.query !== "" && (
            <>
              <p class="quiet">Search as the model would:</p>
              <Command
                what="the command that searches"
                text={shellCommand(source.commands.search, { query: search.query })}
              />
            </>
          )}
        </Section>
      )}
    </>
  );
}

const SearchWay = ({ query, rank }: { readonly query: string; readonly rank: number | null }) => (
  <li>
    {rank === null ? (
      <span class="bad">search_thread does not find it among its first ten results</span>
    ) : (
      <>
        <code>search_thread</code> returns it as result {rank}
      </>
    )}
    {query !== "" && (
      <>
        {" "}
        for <q>{query}</q>
      </>
    )}
    .
  </li>
);
