import { line } from "../report/json/json.ts";

export interface HostDiagnosis {
  readonly host: string;
  readonly registered: boolean;
  readonly findings: readonly { readonly check: string; readonly level: string; readonly text: string }[];
}

export function doctorJson(
  configuration: { readonly level: string; readonly text: string },
  hosts: readonly HostDiagnosis[],
): string {
  return line("doctor", { configuration, hosts });
}
