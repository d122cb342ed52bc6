import { counted } from "../../../words.ts";
import type { CodeFrame, FileProblems, ProblemView } from "../page-data.ts";

const OPEN_FILES = 20;

/** Problems by file, with the lines they are in. */
export function Problems({ files }: { readonly files: readonly FileProblems[] }) {
  return (
    <>
      {files.map(({ file, isChanged, problems }, at) => (
        <details key={file ?? ""} open={at < OPEN_FILES} class="file">
          <summary>
            <code>{file ?? "Without a place"}</code>{" "}
            <span class="count">{counted(problems.length, "problem")}</span>{" "}
            {isChanged ? <span class="chip">changed since this run</span> : null}
          </summary>
          <ul class="problems">
            {problems.map((problem, index) => (
              <ProblemItem key={index} problem={problem} />
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}

function ProblemItem({ problem }: { readonly problem: ProblemView }) {
  const { gate, severity, message, line, column, code, test, excerpt, isNew, frame } = problem;
  const place = [line, column].filter((part) => part !== undefined).join(":");
  return (
    <li>
      <p class="problem">
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
      {frame === undefined || line === undefined ? null : <Frame frame={frame} line={line} column={column} />}
      {excerpt === undefined ? null : <pre class="excerpt">{excerpt}</pre>}
    </li>
  );
}

function Frame({
  frame,
  line,
  column,
}: {
  readonly frame: CodeFrame;
  readonly line: number;
  readonly column: number | undefined;
}) {
  const digits = String(frame.first + frame.lines.length - 1).length;
  return (
    <pre class="frame">
      {frame.lines.map((text, at) => {
        const number = frame.first + at;
        const isHit = number === line;
        return (
          <div key={number} class={isHit ? "hit" : ""}>
            <span class="line-number">
              {isHit ? "> " : "  "}
              {String(number).padStart(digits)}
            </span>
            {isHit && column !== undefined && column <= text.length ? (
              <>
                {text.slice(0, column - 1)}
                <mark>{text.slice(column - 1, column)}</mark>
                {text.slice(column)}
              </>
            ) : (
              text
            )}
            {"\n"}
          </div>
        );
      })}
    </pre>
  );
}
