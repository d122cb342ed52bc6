import { useEffect, useMemo, useRef } from "preact/hooks";
import { counted } from "../../../words.ts";
import type { CodeFrame, FileProblems, ProblemView, RunPage } from "../page-data.ts";
import { useQuery } from "./address.ts";
import { CopyButton } from "./parts.tsx";
import { promptOf } from "./prompt.ts";

const MOST_OPEN = 30;
const MOST_FILES = 40;
const NEAR_LINES = 6;

interface Item {
  readonly id: string;
  readonly file: string | undefined;
  readonly problem: ProblemView;
}

export function Problems({ page }: { readonly page: RunPage }) {
  const [gate, setGate] = useQuery("gate");
  const [age, setAge] = useQuery("age");
  const [text, setText] = useQuery("q");
  const all = useMemo(() => itemsOf(page.files), [page.files]);
  const shown = all.filter(
    ({ problem, file }) =>
      (gate === "" || problem.gate === gate) &&
      (age === "" || (age === "new") === (problem.isNew ?? true)) &&
      matches(problem, file, text),
  );
  const files = filesOf(shown, page.files);
  const isOpen = shown.length <= MOST_OPEN || text !== "";
  const list = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useKeys(list, search);
  useShownProblem(list);
  const file = (one: FileProblems & { readonly items: readonly Item[] }) => (
    <File key={one.file ?? ""} {...one} page={page} isOpen={isOpen} />
  );
  return (
    <div ref={list}>
      <div class="controls">
        <Chips
          name="Gate"
          counts={countsOf(all, ({ problem }) => problem.gate)}
          chosen={gate}
          onChoose={setGate}
        />
        <Chips
          name="Age"
          counts={countsOf(
            all.filter(({ problem }) => problem.isNew !== undefined),
            ({ problem }) => (problem.isNew ? "new" : "old"),
          )}
          chosen={age}
          onChoose={setAge}
        />
        <label>
          Search problems{" "}
          <input
            ref={search}
            type="search"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <span role="status">
          {shown.length === all.length ? "" : `${shown.length} of ${counted(all.length, "problem")}`}
        </span>
        <button type="button" class="small" onClick={() => fold(list.current)}>
          Collapse all
        </button>
        <CopyButton label="Copy prompt for all" text={() => promptOf(page, shown)} />
      </div>
      {files.slice(0, MOST_FILES).map(file)}
      {files.length > MOST_FILES ? (
        <details class="rest">
          <summary>And {counted(files.length - MOST_FILES, "file")} more</summary>
          {files.slice(MOST_FILES).map(file)}
        </details>
      ) : null}
    </div>
  );
}

function itemsOf(files: readonly FileProblems[]): readonly Item[] {
  const items = files.flatMap(({ file, problems }) => problems.map((problem) => ({ file, problem })));
  return items.map((item, at) => ({ ...item, id: `p${at + 1}` }));
}

function filesOf(shown: readonly Item[], files: readonly FileProblems[]) {
  return files
    .map((one) => ({ ...one, items: shown.filter(({ file }) => file === one.file) }))
    .filter(({ items }) => items.length > 0);
}

function matches({ message, test, code }: ProblemView, file: string | undefined, text: string): boolean {
  const words = [file, message, test, code].filter(Boolean).join("\n").toLowerCase();
  return words.includes(text.toLowerCase());
}

function countsOf(items: readonly Item[], nameOf: (item: Item) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return counts;
}

interface ChipsProps {
  readonly name: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}

/** One button per kind with how many there are; nothing to choose where there is one kind only. */
function Chips({ name, counts, chosen, onChoose }: ChipsProps) {
  if (counts.size < 2) return null;
  return (
    <div class="chips" role="group" aria-label={name}>
      {[...counts].map(([one, count]) => (
        <button
          type="button"
          key={one}
          class="chip"
          aria-pressed={chosen === one}
          onClick={() => onChoose(chosen === one ? "" : one)}
        >
          {one} {count}
        </button>
      ))}
    </div>
  );
}

interface FileProps extends FileProblems {
  readonly items: readonly Item[];
  readonly page: RunPage;
  readonly isOpen: boolean;
}

function File({ file, isChanged, items, page, isOpen }: FileProps) {
  return (
    <details open={isOpen} class="file">
      <summary>
        <code>{file ?? "Without a file"}</code> <span class="count">{counted(items.length, "problem")}</span>{" "}
        {isChanged ? <span class="chip">changed since this run</span> : null}
      </summary>
      <ul class="problems">
        {nearOnes(items).map((group) => (
          <li key={group[0]?.id}>
            {group.map((item) => (
              <ProblemHead key={item.id} item={item} page={page} />
            ))}
            <SharedFrame problems={group.map(({ problem }) => problem)} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function nearOnes(items: readonly Item[]): readonly (readonly Item[])[] {
  const groups: Item[][] = [];
  for (const item of items.toSorted((one, other) => (one.problem.line ?? 0) - (other.problem.line ?? 0))) {
    const last = groups.at(-1)?.at(-1)?.problem;
    const { line, frame } = item.problem;
    const isNear = last?.frame !== undefined && frame !== undefined && line !== undefined;
    if (isNear && line - (last.line ?? 0) <= NEAR_LINES) groups.at(-1)?.push(item);
    else groups.push([item]);
  }
  return groups;
}

function ProblemHead({ item, page }: { readonly item: Item; readonly page: RunPage }) {
  const { id, file, problem } = item;
  const { gate, severity, message, line, column, code, test, excerpt, isNew } = problem;
  const place = [line, column].filter((part) => part !== undefined).join(":");
  return (
    <div class="problem" id={id} tabIndex={-1}>
      <p>
        {place === "" ? null : <span class="place">{place}</span>}
        <span class={`chip ${severity}`}>{severity}</span>
        {isNew === undefined ? null : (
          <span class={`chip ${isNew ? "new" : "old"}`}>{isNew ? "new" : "old"}</span>
        )}
        <span class="message">{message}</span>
        <span class="gate">
          {gate}
          {code === undefined ? null : ` · ${code}`}
        </span>
      </p>
      {test === undefined ? null : <p class="test">Test: {test}</p>}
      {excerpt === undefined ? null : <pre class="excerpt">{excerpt}</pre>}
      <p class="actions">
        <CopyButton label="Copy prompt" text={() => promptOf(page, [item])} />
        {file === undefined ? null : (
          <CopyButton label="Copy path" text={() => [file, line, column].filter(Boolean).join(":")} />
        )}
        {file === undefined || page.root === undefined ? null : (
          <a href={`vscode://file${page.root}/${file}:${line ?? 1}:${column ?? 1}`}>Open in editor</a>
        )}
      </p>
    </div>
  );
}

function SharedFrame({ problems }: { readonly problems: readonly ProblemView[] }) {
  const framed = problems.filter((problem) => problem.frame !== undefined && !printsItsLine(problem));
  const lines = new Map<number, string>();
  for (const { frame } of framed) frame?.lines.forEach((text, at) => lines.set(frame.first + at, text));
  if (lines.size === 0) return null;
  const numbers = [...lines.keys()].toSorted((one, other) => one - other);
  const digits = String(numbers.at(-1)).length;
  return (
    <pre class="frame">
      {numbers.map((number) => {
        const hit = framed.find(({ line }) => line === number);
        return (
          <div key={number} class={hit === undefined ? "" : "hit"}>
            <span class="line-number">
              {hit === undefined ? "  " : "> "}
              {String(number).padStart(digits)}
            </span>
            <FrameLine text={lines.get(number) ?? ""} column={hit?.column} />
            {"\n"}
          </div>
        );
      })}
    </pre>
  );
}

const SHORTEST_LINE = 4;

function printsItsLine({ excerpt, frame, line }: ProblemView): boolean {
  const text = lineIn(frame, line)?.trim() ?? "";
  return text.length >= SHORTEST_LINE && excerpt?.includes(text) === true;
}

function lineIn(frame: CodeFrame | undefined, line: number | undefined): string | undefined {
  return frame === undefined || line === undefined ? undefined : frame.lines[line - frame.first];
}

function FrameLine({ text, column }: { readonly text: string; readonly column: number | undefined }) {
  if (column === undefined || column > text.length) return <>{text}</>;
  return (
    <>
      {text.slice(0, column - 1)}
      <mark>{text.slice(column - 1, column)}</mark>
      {text.slice(column)}
    </>
  );
}

function fold(list: HTMLElement | null): void {
  for (const details of list?.querySelectorAll("details") ?? []) details.open = false;
}

function useKeys(
  list: { readonly current: HTMLElement | null },
  search: { readonly current: HTMLInputElement | null },
) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches("input, select, textarea");
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "/") search.current?.focus();
      else if (event.key === "j") step(list.current, 1);
      else if (event.key === "k") step(list.current, -1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

function step(list: HTMLElement | null, by: 1 | -1): void {
  const all = [...(list?.querySelectorAll<HTMLElement>(".problem") ?? [])];
  const here = all.findIndex((one) => one === document.activeElement);
  const next = all[here === -1 ? 0 : here + by];
  if (next === undefined) return;
  for (let node = next.parentElement; node !== null; node = node.parentElement)
    if (node instanceof HTMLDetailsElement) node.open = true;
  next.focus();
  next.scrollIntoView({ block: "center" });
}

function useShownProblem(list: { readonly current: HTMLElement | null }): void {
  const [at] = useQuery("at");
  useEffect(() => {
    if (at === "") return;
    const problem = list.current?.querySelector<HTMLElement>(`#${CSS.escape(at)}`);
    const details = problem?.closest("details");
    if (details) details.open = true;
    problem?.scrollIntoView({ block: "center" });
    problem?.focus();
  }, [at]);
}
