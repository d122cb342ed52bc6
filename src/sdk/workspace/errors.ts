/** A mount would read or write outside the places it was given. */
export class WorkspaceSecurityError extends Error {
  override readonly name = "WorkspaceSecurityError";
}

/** A mount is larger than its `maxBytes`. */
export class WorkspaceBudgetExceededError extends Error {
  override readonly name = "WorkspaceBudgetExceededError";
}
