import { useState } from "preact/hooks";
import { formatDuration } from "../report/plain-lines.ts";
import { counted } from "../core/counted.ts";
import { compareTold } from "../report/page/frames.ts";
import type { AttemptView } from "../report/page/page-data.ts";
import { shortGate, StatusWords, Time } from "./parts.tsx";

/** Stop after stop of one session: what the agent read, and how that differs from the time before. */
export function Attempts({ attempts }: { readonly attempts: readonly AttemptView[] }) {
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
  const answer =
    decision === undefined ? "run from the terminal" : decision === "block" ? "blocked" : "allowed to stop";
  const facts = [
    `run ${run}`,
    answer,
    formatDuration(ms),
    ...(decision === "block" && left !== undefined ? [`${counted(left, "attempt")} left`] : []),
  ];
  return (
    <li>
      <p>
        <StatusWords status={status} /> <span class="facts">{facts.join(" · ")} · </span>
        <Time at={at} />
      </p>
      {red.length === 0 ? null : <p class="red">Red: {red.map(shortGate).join(", ")}</p>}
      {told === undefined ? (
        decision === "block" && <p class="facts">What it was told is no longer in the logs.</p>
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
