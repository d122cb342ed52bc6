/** A child to start in its own process group, with its output handed over chunk by chunk. */
export interface ChildRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to the child's stdin, which is then closed; without it stdin is closed from the start. */
  readonly stdin?: string | Buffer;
  readonly onOutput: (chunk: Buffer, stream: "stdout" | "stderr") => void;
  /** A death by a real-time signal must never read as exit code 0, as it does under Node. */
  readonly mustNotHideSignals?: boolean;
}

/** A child that was started. */
export interface Child {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** It has exited and all its output was handed over. */
  readonly closed: Promise<unknown>;
  /** Stops reading; a process that holds the output open cannot hold us. */
  readonly letGo: () => void;
}

export type Exit =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "killed"; readonly signal: string };

export interface NotStarted {
  readonly detail: Promise<string>;
}
