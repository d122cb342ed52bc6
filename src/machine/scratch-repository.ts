import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gitOutput } from "./git.ts";

/** A git repository of our own in the temporary directory; gone when disposed. */
export interface ScratchRepository extends AsyncDisposable {
  readonly path: string;
  readonly write: (name: string, content: string) => Promise<void>;
}

export async function createScratchRepository(
  files: Readonly<Record<string, string>>,
): Promise<ScratchRepository> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "agent-gauntlet-demo-")));
  const write = async (name: string, content: string): Promise<void> => {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  await gitOutput(path, ["init", "--quiet", "--initial-branch=main"]);
  await gitOutput(path, ["add", "--all"]);
  const author = ["-c", "user.name=Demo", "-c", "user.email=demo@example.com", "-c", "commit.gpgsign=false"];
  await gitOutput(path, [...author, "commit", "--quiet", "--no-verify", "--message", "A project that works"]);
  return { path, write, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
