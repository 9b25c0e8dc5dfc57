import type { BodyPart } from "@threadfold/inspection/rows";
import { whole } from "../format/figures.ts";
import { useInspector } from "../state/inspector.ts";
import { type Loaded, useLoaded } from "../state/loaded.ts";
import { LongText, onOneLine } from "./long-text.tsx";

/** The content of a message, as logged. */
export function MessageView({ ordinal }: { readonly ordinal: number }) {
  const bodies = useInspector().bodies.value;
  const body = useLoaded(() => bodies.message(ordinal), [bodies, ordinal]);
  return (
    <Opened body={body}>
      {({ parts }) => (
        <div class="body">
          {parts.map((part, at) => (
            <PartView key={at} part={part} />
          ))}
          {parts.length === 0 && <p class="quiet">The message is empty.</p>}
        </div>
      )}
    </Opened>
  );
}

/** A text that a request shows and that is not a message of the log. */
export function TextView({ place }: { readonly place: number }) {
  const bodies = useInspector().bodies.value;
  const body = useLoaded(() => bodies.text(place), [bodies, place]);
  return (
    <Opened body={body}>
      {({ text, cut = 0 }) => (
        <div class="body">
          <LongText text={text} isJson />
          <LeftOut characters={cut} />
        </div>
      )}
    </Opened>
  );
}

/** Shows a value once it is read, or why it is missing. */
export function Opened<Value>({
  body,
  children,
}: {
  readonly body: Loaded<Value | undefined>;
  readonly children: (value: Value) => preact.ComponentChildren;
}) {
  if (body.state === "reading") return <p class="body quiet">Reading…</p>;
  if (body.state === "failed") return <p class="body bad">{body.message}</p>;
  if (body.value === undefined)
    return (
      <p class="body quiet">
        Message bodies are not included in this page. <code>--bodies short</code> or <code>--bodies all</code> includes
        them.
      </p>
    );
  return <>{children(body.value)}</>;
}

function PartView({ part }: { readonly part: BodyPart }) {
  const isTool = part.type === "tool-call" || part.type === "tool-result";
  return (
    <section class={`part part-${part.type}`}>
      {part.type !== "text" && (
        <h4>
          {PART_NAMES[part.type]} {isTool && <code>{onOneLine(part.tool)}</code>}{" "}
          {part.type === "tool-result" && part.outcome !== "success" && <span class="bad">{part.outcome}</span>}
        </h4>
      )}
      <LongText text={part.text} isJson={isTool} />
      {"cut" in part && <LeftOut characters={part.cut ?? 0} />}
    </section>
  );
}

const PART_NAMES: Readonly<Record<BodyPart["type"], string>> = {
  text: "Text",
  reasoning: "Reasoning",
  "tool-call": "Calls",
  "tool-result": "Result of",
  image: "Image",
  file: "File",
  opaque: "Provider item",
};

const LeftOut = ({ characters }: { readonly characters: number }) =>
  characters === 0 ? null : (
    <p class="quiet">
      {whole(characters)} characters are not included in this page; <code>--bodies all</code> includes them.
    </p>
  );
