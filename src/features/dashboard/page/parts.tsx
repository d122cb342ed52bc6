import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Support } from "../../../ledger/verdict-record.ts";
import type { Status } from "../../../stop/status.ts";
import { statusTitle } from "../../../stop/status.ts";

/** How good something is: decides its colour and its mark. */
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
};

export function SupportChip({ rests }: { readonly rests: Support | undefined }) {
  return rests === undefined ? null : <span class={`chip ${rests}`}>{SUPPORT_WORDS[rests]}</span>;
}

/** A gate at the root of its project is known by its name. */
export function shortGate(id: string): string {
  return id.replace(/^(?:check|review|repl):\.:/, "");
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

export function Time({ at }: { readonly at: number }) {
  const date = new Date(at);
  return <time dateTime={date.toISOString()}>{date.toLocaleString()}</time>;
}

/** Light and dark follow the system until somebody chooses. */
export function ThemeButton() {
  const [theme, setTheme] = useState(() =>
    matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  );
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button type="button" class="theme" onClick={() => setTheme(other)}>
      {other === "dark" ? "Dark" : "Light"}
      <span class="hidden"> colours</span>
    </button>
  );
}

interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  /** In pixels, the same for every row. */
  readonly rowHeight: number;
  readonly rowsShown: number;
  readonly row: (index: number) => ComponentChildren;
  readonly class?: string;
  /** A row to bring into view. */
  readonly shown?: number | undefined;
}

/** Rows of which only those in view are in the document, so that ten thousand are as quick as ten. */
export function VirtualList(props: VirtualListProps) {
  const { label, count, rowHeight, rowsShown, row, shown } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => {
    if (shown !== undefined) scroller.current?.scrollTo({ top: shown * rowHeight });
  }, [shown, rowHeight]);
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight) - SPARE, count - rowsShown));
  const last = Math.min(count, first + rowsShown + 2 * SPARE);
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  return (
    <div
      class={`scroller ${props.class ?? ""}`}
      ref={scroller}
      role="region"
      tabIndex={0}
      aria-label={label}
      style={{ maxHeight: `${rowsShown * rowHeight}px` }}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div role="list" class="rows" style={{ height: `${count * rowHeight}px` }}>
        {indexes.map((index) => (
          <div
            role="listitem"
            key={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            class="row"
            style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

const SPARE = 8;
