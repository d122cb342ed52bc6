import type { Host } from "../hosts/host.ts";

/** What to say about a file that the host will not read although we can. */
export function skippedFile(host: Host, file: string): string {
  const refused =
    host.registration?.format === "json" && host.registration.takesComments
      ? "trailing commas"
      : "comments or trailing commas";
  return `${host.title} silently skips a file with ${refused}. The hook fires once you take them out of ${file}.`;
}
