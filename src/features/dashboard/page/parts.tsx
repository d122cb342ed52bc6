import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Support } from "../../../ledger/verdict-record.ts";
import type { Status } from "../../../stop/status.ts";
import { statusTitle } from "../../../stop/status.ts";
import { ago } from "../../../words.ts";

export type Tone = "good" | "bad" | "warn" | "idle";

const MARKS: Readonly<Record<Tone, string>> = { good: "✓", bad: "✗", warn: "!", idle: "–" };

/** A mark that is told apart by its shape too. */
export function Mark({ tone }: { readonly tone: Tone }) {
  return (
    <span class={`mark ${tone}`} aria-hidden="true">
      {MARKS[tone]}
    </span>
  );
}

const STATUS_TONES: Partial<Readonly<Record<Status, Tone>>> = {
  passed: "good",
  failed: "bad",
  passed_with_warnings: "warn",
  retry_limit_exceeded: "warn",
  error: "warn",
  lock_conflict: "warn",
  invalid_input: "warn",
};

export function toneOf(status: Status): Tone {
  return STATUS_TONES[status] ?? "idle";
}

export function StatusWords({ status }: { readonly status: Status }) {
  return (
    <span class="status">
      <Mark tone={toneOf(status)} /> {statusTitle(status)}
    </span>
  );
}

const SUPPORT_WORDS: Readonly<Record<Support, string>> = {
  reuse: "reused",
  baseline: "old problems only",
  rerun: "flaky",
  worker: "not proof",
};

export function SupportChip({ rests }: { readonly rests: Support | undefined }) {
  return rests === undefined ? null : <span class={`chip ${rests}`}>{SUPPORT_WORDS[rests]}</span>;
}

export function gateName(id: string): string {
  const [, scope = ".", name = id] = /^(?:check|review|repl|guard):(.*):([^:]*)$/.exec(id) ?? [];
  return scope === "." || scope === "" ? name : `${name} (${scope})`;
}

export function Section({
  title,
  id,
  children,
}: {
  readonly title: string;
  readonly id: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

interface TableProps {
  readonly titles: readonly ComponentChildren[];
  /** The titles, where those are more than texts. */
  readonly names?: readonly string[];
  readonly numbers?: readonly number[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[];
  readonly sorted?: number;
}

export function Table({ titles, names = titles.map(String), numbers = [], rows, sorted }: TableProps) {
  const classOf = (column: number): string => (numbers.includes(column) ? "number" : "");
  return (
    <table class="cards">
      <thead>
        <tr>
          {titles.map((title, at) => (
            <th scope="col" key={at} class={classOf(at)} aria-sort={at === sorted ? "descending" : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells: [first, ...rest] }) => (
          <tr key={key}>
            <th scope="row">{first}</th>
            {rest.map((cell, at) => (
              <td key={at} class={classOf(at + 1)} data-name={names[at + 1]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Time({ at }: { readonly at: number }) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {ago(at, Date.now())}
    </time>
  );
}

export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    navigator.clipboard.writeText(text()).then(
      () => setCopied(true),
      () => prompt(label, text()), // a browser that keeps its clipboard to itself
    );
  };
  return (
    <button type="button" class="small" onClick={copy}>
      {isCopied ? "Copied" : label}
    </button>
  );
}

const THEME = "agent-gauntlet theme";

/** Light and dark follow the system until somebody chooses. */
export function ThemeButton() {
  const [theme, setTheme] = useState(
    () => stored(THEME) ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"),
  );
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const other = theme === "dark" ? "light" : "dark";
  const choose = (): void => {
    setTheme(other);
    store(THEME, other);
  };
  return (
    <button type="button" class="theme" onClick={choose}>
      {other === "dark" ? "Dark" : "Light"}
      <span class="hidden"> colours</span>
    </button>
  );
}

function stored(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // then it holds until the page is closed
  }
}

const ICON_COLOURS: Readonly<Record<Tone, string>> = {
  good: "#1a7f37",
  bad: "#c0332b",
  warn: "#b07000",
  idle: "#6b7280",
};

/** The title and the icon of the tab tell how it stands. */
export function useTab(title: string, tone: Tone): void {
  useEffect(() => {
    document.title = tone === "bad" ? `${MARKS.bad} ${title}` : title;
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]") ?? document.createElement("link");
    icon.rel = "icon";
    const circle = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="${ICON_COLOURS[tone]}"/></svg>`;
    icon.href = `data:image/svg+xml,${encodeURIComponent(circle)}`;
    document.head.append(icon);
  }, [title, tone]);
}

interface VirtualListProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly rowHeight: number;
  readonly rowsShown: number;
  readonly row: (item: T) => ComponentChildren;
  readonly class?: string;
}

/** Rows of which only those in view are in the document, so that ten thousand are as quick as ten. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, items, rowHeight, rowsShown, row } = props;
  const [top, setTop] = useState(0);
  const count = items.length;
  if (count === 0) return null; // an empty list has nothing to say to a screen reader
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight) - SPARE, count - rowsShown));
  const shown = items.slice(first, first + rowsShown + 2 * SPARE);
  return (
    <div
      class={`scroller ${props.class ?? ""}`}
      role="region"
      tabIndex={0}
      aria-label={label}
      style={{ maxHeight: `${rowsShown * rowHeight}px` }}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div role="list" class="rows" style={{ height: `${count * rowHeight}px` }}>
        {shown.map((item, at) => (
          <div
            role="listitem"
            key={first + at}
            aria-setsize={count}
            aria-posinset={first + at + 1}
            class="row"
            style={{ transform: `translateY(${(first + at) * rowHeight}px)`, height: `${rowHeight}px` }}
          >
            {row(item)}
          </div>
        ))}
      </div>
    </div>
  );
}

const SPARE = 8;
