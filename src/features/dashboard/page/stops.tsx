import { useMemo } from "preact/hooks";
import { statusTitle } from "../../../stop/status.ts";
import { counted, formatDuration } from "../../../words.ts";
import { type Meaning, meaningOf } from "../aggregate.ts";
import type { StopRow } from "../page-data.ts";
import { useQuery } from "./address.ts";
import type { ViewProps } from "./dashboard.tsx";
import { gateName, Mark, Section, Time, type Tone, VirtualList } from "./parts.tsx";

export const TONES: Readonly<Record<Meaning, Tone>> = {
  blocked: "bad",
  failed: "bad",
  passed: "good",
  "passed with warnings": "warn",
  "gave up": "warn",
  "not checked": "idle",
};

const MEANINGS = Object.keys(TONES);

/** One line; on a phone and a tablet two. views.css has the same width. */
export const ROW_HEIGHT = matchMedia("(max-width: 56rem)").matches ? 60 : 42;

export function Stops({ rows, projectName }: ViewProps) {
  const [meaning, setMeaning] = useQuery("show");
  const [text, setText] = useQuery("q");
  const shown = useMemo(() => {
    const needle = text.toLowerCase();
    return rows.filter(
      (row) =>
        (meaning === "" || meaningOf(row) === meaning) &&
        (needle === "" || wordsOf(row, projectName).includes(needle)),
    );
  }, [rows, meaning, text]);
  return (
    <Section title="Stops and runs" id="stops">
      <div class="controls">
        <label>
          Show{" "}
          <select value={meaning} onChange={({ currentTarget }) => setMeaning(currentTarget.value)}>
            <option value="">everything</option>
            {MEANINGS.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label>
          Search{" "}
          <input type="search" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
        <span role="status">{counted(shown.length, "verdict")}</span>
      </div>
      <VirtualList
        label="Verdicts"
        items={shown}
        rowHeight={ROW_HEIGHT}
        rowsShown={12}
        row={(row) => <StopLine row={row} projectName={projectName} />}
      />
    </Section>
  );
}

function wordsOf(row: StopRow, projectName: (key: string) => string): string {
  const { status, host, door, session, branch, commit, worktree, outcomes = [], project } = row;
  const gates = outcomes.map(({ id }) => id);
  const parts = [projectName(project), status, host, door, session, branch, commit, worktree, ...gates];
  return parts.filter(Boolean).join("\n").toLowerCase();
}

interface StopLineProps {
  readonly row: StopRow;
  readonly projectName?: (key: string) => string;
}

export function StopLine({ row, projectName }: StopLineProps) {
  const { project, run, at, ms, host, door, session, branch, worktree, status, outcomes = [] } = row;
  const meaning = meaningOf(row);
  const red = outcomes.filter(({ blocks }) => blocks).map(({ id }) => gateName(id));
  const who = [projectName?.(project), worktree, host ?? door, branch, session?.slice(0, 8)];
  const content = (
    <>
      <span class="what">
        <Mark tone={TONES[meaning]} /> {meaning}
        {meaning === "not checked" ? ` (${statusTitle(status).toLowerCase()})` : ""}
        {red.length === 0 ? "" : `: ${red.join(", ")}`}
      </span>
      <span class="who">{who.filter(Boolean).join(" · ")}</span>
      <span class="took">{formatDuration(ms)}</span>
      <span class="when">
        <Time at={at} />
      </span>
    </>
  );
  if (run === undefined) return <div class="stop">{content}</div>;
  return (
    <a class="stop" href={`#/run/${project}/${at}`}>
      {content}
    </a>
  );
}
