import { useState } from "preact/hooks";
import type { GateOutcome } from "../../../gates/outcome.ts";
import { statusTitle } from "../../../stop/status.ts";
import { counted, formatDuration } from "../../../words.ts";
import { type AttemptView, compareTold, type GateView, type RunPage } from "../page-data.ts";
import { useQuery } from "./address.ts";
import { Logs } from "./logs.tsx";
import {
  CopyButton,
  gateName,
  Mark,
  Section,
  StatusWords,
  SupportChip,
  ThemeButton,
  Time,
  type Tone,
  toneOf,
  useTab,
} from "./parts.tsx";
import { Problems } from "./problems.tsx";

export function RunView({ page }: { readonly page: RunPage }) {
  useTab(document.title.replace(/^✗ /, ""), toneOf(page.status));
  return (
    <>
      <header class="top">
        <h1>
          <Mark tone={toneOf(page.status)} /> {page.project}: {statusTitle(page.status)}
        </h1>
        <ThemeButton />
      </header>
      <main>
        <RunSections page={page} />
      </main>
      <footer>agent-gauntlet {page.version}</footer>
    </>
  );
}

export function RunSections({ page }: { readonly page: RunPage }) {
  const [shown, setShown] = useQuery("log");
  const showLog = (id: string): void => {
    setShown(id);
    document.querySelector("#logs")?.scrollIntoView({ block: "start" });
  };
  const problems = page.files.reduce((sum, { problems: some }) => sum + some.length, 0);
  const told = page.attempts.findLast((attempt) => attempt.told !== undefined)?.told;
  return (
    <>
      <Facts page={page} problems={problems} />
      <FailedGates gates={page.gates} />
      {told === undefined ? null : <CopyButton label="Copy what the agent was told" text={() => told} />}
      {problems > 0 && (
        <Section title={`Problems (${problems})`} id="problems">
          <Problems page={page} />
        </Section>
      )}
      <Section title="Gates" id="gates">
        {page.gates.length === 0 ? <p>No gate ran.</p> : <Timeline gates={page.gates} onLog={showLog} />}
      </Section>
      {page.attempts.length > 0 && (
        <Section title="What the agent was told" id="told">
          <Attempts attempts={page.attempts} />
        </Section>
      )}
      {page.gates.some(({ log }) => log !== undefined) && (
        <Section title="Logs" id="logs">
          <Logs gates={page.gates} shown={shown} onShow={setShown} />
        </Section>
      )}
    </>
  );
}

function FailedGates({ gates }: { readonly gates: readonly GateView[] }) {
  const failed = gates.filter(({ blocks }) => blocks);
  if (failed.length === 0) return null;
  return (
    <ul class="failed">
      {failed.map(({ id, words }) => (
        <li key={id}>
          <Mark tone="bad" /> <strong>{gateName(id)}</strong> {words}
        </li>
      ))}
    </ul>
  );
}

function Facts({ page, problems }: { readonly page: RunPage; readonly problems: number }) {
  const red = page.gates.filter(({ blocks }) => blocks).length;
  const reused = page.gates.filter(({ rests }) => rests === "reuse").length;
  const facts = [
    page.run === undefined ? undefined : `run ${page.run}`,
    `${counted(page.gates.length, "gate")}${red === 0 ? "" : `, ${red} failed`}${reused === 0 ? "" : `, ${reused} reused`}`,
    problems === 0 ? undefined : counted(problems, "problem"),
    page.branch,
    page.commit?.slice(0, 10),
  ];
  return (
    <p class="facts">
      {facts.filter(Boolean).join(" · ")} · <Time at={page.completedAt} />
    </p>
  );
}

function gateTone(outcome: GateOutcome["kind"], blocks: boolean): Tone {
  if (blocks) return "bad";
  if (outcome === "passed") return "good";
  return outcome === "skipped" ? "idle" : "warn";
}

interface TimelineProps {
  readonly gates: readonly GateView[];
  readonly onLog: (id: string) => void;
}

/** When each gate ran, as bars beside its result. Without recorded starts every bar begins at the left. */
function Timeline({ gates, onLog }: TimelineProps) {
  const total = Math.max(1, ...gates.map(({ startedMs = 0, ms }) => startedMs + ms));
  return (
    <table class="timeline">
      <thead>
        <tr>
          <th scope="col">Gate</th>
          <th scope="col">Result</th>
          <th scope="col" class="number">
            Time
          </th>
          <th scope="col" class="track" aria-label={`When it ran, within ${formatDuration(total)}`}>
            0 – {formatDuration(total)}
          </th>
        </tr>
      </thead>
      <tbody>
        {gates.map((gate) => (
          <TimelineRow key={gate.id} gate={gate} total={total} onLog={onLog} />
        ))}
      </tbody>
    </table>
  );
}

function TimelineRow({
  gate,
  total,
  onLog,
}: {
  readonly gate: GateView;
  readonly total: number;
  readonly onLog: (id: string) => void;
}) {
  const { id, name, scope, outcome, words, blocks, ms, startedMs, rests, log } = gate;
  const tone = gateTone(outcome, blocks);
  const bar = { left: `${((startedMs ?? 0) / total) * 100}%`, width: `${(ms / total) * 100}%` };
  return (
    <tr>
      <th scope="row">
        <Mark tone={tone} />{" "}
        {log === undefined ? (
          name
        ) : (
          <button type="button" class="link" onClick={() => onLog(id)}>
            {name}
          </button>
        )}
        {scope === "." ? null : <span class="scope"> {scope}</span>}
      </th>
      <td>
        {words} <SupportChip rests={rests} />
      </td>
      <td class="number">{formatDuration(ms)}</td>
      <td class="track" aria-hidden="true">
        {rests === "reuse" ? null : (
          <div class="lane">
            <div class={`bar ${tone}`} style={bar} />
          </div>
        )}
      </td>
    </tr>
  );
}

function Attempts({ attempts }: { readonly attempts: readonly AttemptView[] }) {
  return (
    <ol class="attempts">
      {attempts.map((attempt, at) => (
        <Attempt
          key={attempt.at}
          attempt={attempt}
          before={attempts.slice(0, at).findLast(({ told }) => told !== undefined)?.told}
          isLast={at === attempts.length - 1}
        />
      ))}
    </ol>
  );
}

interface AttemptProps {
  readonly attempt: AttemptView;
  readonly before: string | undefined;
  readonly isLast: boolean;
}

function Attempt({ attempt, before, isLast }: AttemptProps) {
  const { at, run, status, decision, left, ms, red, told } = attempt;
  const isBlock = decision === "block";
  const stopped = isBlock ? "blocked" : "allowed to stop";
  const facts = [
    `run ${run}`,
    decision === undefined ? "run from the terminal" : stopped,
    formatDuration(ms),
    isBlock && left !== undefined ? `${counted(left, "attempt")} left` : "",
  ];
  return (
    <li>
      <p>
        <StatusWords status={status} /> <span class="facts">{facts.filter(Boolean).join(" · ")} · </span>
        <Time at={at} />
      </p>
      {red.length === 0 ? null : <p class="red">Failed: {red.map(gateName).join(", ")}</p>}
      {told === undefined ? (
        isBlock && <p class="facts">What it was told is no longer in the logs.</p>
      ) : (
        <Told told={told} before={before} isOpen={isLast} />
      )}
    </li>
  );
}

const PREFIX = { same: "  ", new: "+ ", gone: "− " } as const;

function Told({
  told,
  before,
  isOpen,
}: {
  readonly told: string;
  readonly before: string | undefined;
  readonly isOpen: boolean;
}) {
  const [isCompared, setCompared] = useState(false);
  return (
    <details open={isOpen}>
      <summary>What the agent read</summary>
      {before === undefined ? null : (
        <label class="compare">
          <input
            type="checkbox"
            checked={isCompared}
            onChange={({ currentTarget }) => setCompared(currentTarget.checked)}
          />{" "}
          Compare with the attempt before
        </label>
      )}
      <pre class="told">
        {isCompared && before !== undefined
          ? compareTold(before, told).map(({ text, change }, index) => (
              <div key={index} class={change}>
                {PREFIX[change]}
                {text}
                {"\n"}
              </div>
            ))
          : told}
      </pre>
    </details>
  );
}
