/** Whether an error is one of the system's (`ENOENT`, `EACCES`, …); any other is a bug. */
export function hasCode(error: unknown, code?: string): error is Error & { readonly code: string } {
  return error instanceof Error && "code" in error && (code === undefined || error.code === code);
}
