/** A fact for the user, in addition to the answer. Each is shown once per session. */
export interface Notice {
  /** Tells one fact from another. */
  readonly key: string;
  readonly text: string;
  /** It comes before what the verdict says: other lines must not crowd it out. */
  readonly isFirst?: boolean;
}

/** Where more is shown, nothing is read. */
const MAX_LINES = 3;
const MAX_LINE_CHARS = 400;

interface ShownNotice {
  readonly text: string | undefined;
  /** Every line in full, where the text leaves something out: for `explain`. */
  readonly whole?: string;
  readonly told: readonly string[];
}

/** What a stop tells the user: what the verdict itself must say, then facts not yet shown in this session. */
export function noticeOf(
  verdict: string | undefined,
  facts: readonly Notice[],
  told: readonly string[],
): ShownNotice {
  const fresh = facts.filter(({ key }) => !told.includes(key));
  const lines = [
    ...fresh.filter(({ isFirst }) => isFirst).map(({ text }) => oneLine(text)),
    ...(verdict === undefined ? [] : verdict.split("\n")),
    ...fresh.filter(({ isFirst }) => !isFirst).map(({ text }) => oneLine(text)),
  ];
  const whole = lines.filter((line) => line !== "").join("\n");
  const shown = whole === "" ? [] : whole.split("\n").map((line) => line.slice(0, MAX_LINE_CHARS));
  const kept = shown.length <= MAX_LINES ? shown : [...shown.slice(0, MAX_LINES - 1), rest(shown)];
  const text = kept.join("\n");
  return {
    text: text === "" ? undefined : text,
    ...(text === whole ? {} : { whole }),
    told: [...told, ...fresh.map(({ key }) => key)],
  };
}

function rest(lines: readonly string[]): string {
  return `And ${lines.length - MAX_LINES + 1} more: \`agent-gauntlet explain\` shows everything.`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").trim();
}
