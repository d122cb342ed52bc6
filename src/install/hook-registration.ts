/** What a product keeps in a host's settings file: which hooks, in which shape, and how to know its own again. */
export interface HookRegistration {
  /** The file, as shown to people. */
  readonly file: string;
  readonly hooks: readonly RegisteredHook[];
  readonly isOurs: (command: string) => boolean;
  /** One of ours that is not exactly as registered is replaced; otherwise only its command is corrected. */
  readonly exact?: boolean;
  /** Ours that must be written anew because of how it runs, not only of what it runs. */
  readonly isStale?: (found: { readonly event: string; readonly command: string }) => boolean;
  readonly shape: HookShape;
}

export interface RegisteredHook {
  readonly event: string;
  readonly command: string;
  /** The hook object that is written; holds `command` under the shape's key. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** How a host writes hooks down. */
export interface HookShape {
  /** The property that holds the events; absent where they are the root's own. */
  readonly eventsKey?: string;
  /** Whether an event lists groups (`{ hooks: [hook] }`) or the hooks themselves. */
  readonly grouped: boolean;
  readonly commandKey: string;
  /** What a file must also say at its root; written only into a file that we create, behind the events. */
  readonly companion?: Readonly<Record<string, unknown>>;
  /** Whether the host refuses a file with comments or trailing commas; we keep them all the same. */
  readonly isStrictJson?: boolean;
}

/** What a file must become. */
export type FileChange =
  | { readonly kind: "unchanged" }
  | { readonly kind: "written"; readonly text: string }
  | { readonly kind: "removed" };
