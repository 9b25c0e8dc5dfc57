import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface SaveProps {
  readonly name: string;
  readonly what: string;
  readonly read: () => Promise<Blob>;
}

/** Saves something as a file, byte for byte. */
export function SaveButton({ name, what, read }: SaveProps) {
  const [problem, setProblem] = useState("");
  const save = async (): Promise<void> => {
    try {
      saveFile(await read(), name);
      setProblem("");
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <button
      type="button"
      class="plain copy"
      onClick={() => void save()}
      aria-label={`Save ${what}`}
      title={`Save ${name}`}
    >
      <Icon name="save" />
      {problem !== "" && <span class="bad">{problem}</span>}
    </button>
  );
}

function saveFile(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
