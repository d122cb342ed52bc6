import { isoTime, line } from "../../report/json/json.ts";

interface ConsentFacts {
  readonly root: string;
  readonly decision: string;
  readonly at: number;
  readonly hash: string;
}

export function allowedJson(consents: readonly ConsentFacts[]): string {
  const projects = consents.map(({ root, decision, at, hash }) => ({
    root,
    decision,
    at: isoTime(at),
    hash: hash === "" ? null : hash,
  }));
  return line("allow", { projects });
}
