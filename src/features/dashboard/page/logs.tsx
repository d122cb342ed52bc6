import { VirtualList } from "./parts.tsx";
import { useMemo, useState } from "preact/hooks";
import type { GateView } from "../page-data.ts";
import { counted } from "../../../words.ts";

interface LogsProps {
  readonly gates: readonly GateView[];
  readonly shown: string;
  readonly onShow: (id: string) => void;
}

interface LogLine {
  readonly gate: string;
  readonly number: number;
  readonly text: string;
}

export function Logs({ gates, shown, onShow }: LogsProps) {
  const [query, setQuery] = useState("");
  const logged = gates.filter(({ log }) => log !== undefined);
  const first = logged.find(({ blocks }) => blocks) ?? logged[0];
  const current = logged.find(({ id }) => id === shown) ?? first;
  const all = useMemo(() => logged.flatMap(linesOf), [gates]);
  const needle = query.toLowerCase();
  const lines = useMemo(
    () =>
      needle === ""
        ? all.filter(({ gate }) => gate === current?.id)
        : all.filter(({ text }) => text.toLowerCase().includes(needle)),
    [all, needle, current?.id],
  );
  const digits = String(lines.at(-1)?.number ?? 1).length;
  return (
    <>
      <div class="controls">
        <label>
          Log of{" "}
          <select value={current?.id} onChange={({ currentTarget }) => onShow(currentTarget.value)}>
            {logged.map(({ id, name, scope }) => (
              <option key={id} value={id}>
                {scope === "." ? name : `${name} (${scope})`}
              </option>
            ))}
          </select>
        </label>
        <label>
          Search in all logs{" "}
          <input type="search" value={query} onInput={({ currentTarget }) => setQuery(currentTarget.value)} />
        </label>
        <span role="status">
          {needle === "" ? counted(lines.length, "line") : `${counted(lines.length, "line")} found`}
        </span>
      </div>
      <p class="facts">
        <code>{current?.log?.path}</code>
      </p>
      <VirtualList
        label={needle === "" ? `Log of ${current?.name ?? ""}` : "Lines found"}
        class="log"
        items={lines}
        rowHeight={20}
        rowsShown={24}
        row={(line) => <Line line={line} needle={needle} digits={digits} />}
      />
    </>
  );
}

function linesOf({ id, log }: GateView): readonly LogLine[] {
  const lines = (log?.text ?? "").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((text, at) => ({ gate: id, number: at + 1, text }));
}

function Line({
  line,
  needle,
  digits,
}: {
  readonly line: LogLine;
  readonly needle: string;
  readonly digits: number;
}) {
  const { gate, number, text } = line;
  const at = needle === "" ? -1 : text.toLowerCase().indexOf(needle);
  return (
    <code>
      <span class="line-number">
        {needle === "" ? "" : `${gate} `}
        {String(number).padStart(digits)}
      </span>
      {at === -1 ? (
        text
      ) : (
        <>
          {text.slice(0, at)}
          <mark>{text.slice(at, at + needle.length)}</mark>
          {text.slice(at + needle.length)}
        </>
      )}
    </code>
  );
}
