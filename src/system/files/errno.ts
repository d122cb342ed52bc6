/** Whether an error is one of the system's (`ENOENT`, `EACCES`, …), optionally a certain one; anything else is a bug. */
export function hasCode(error: unknown, code?: string): error is Error & { readonly code: string } {
  return error instanceof Error && "code" in error && (code === undefined || error.code === code);
}
