/** The end of every plugin: runs the hook's command with a payload on stdin and resolves to its answer. Never rejects. */
export const ASK_HOOK = `
function ask(payload, signal) {
  return new Promise((resolve) => {
    const child = spawn(COMMAND, { cwd: payload.cwd, shell: true, detached: process.platform !== "win32" });
    const end = () => {
      try {
        process.platform === "win32" ? child.kill() : process.kill(-child.pid, "SIGTERM");
      } catch {
        // it has ended by itself
      }
    };
    const timer = setTimeout(end, TIMEOUT_MS);
    signal?.addEventListener("abort", end);
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.on("error", (error) => (stderr += error.message));
    child.on("close", () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve(signal?.aborted ? {} : (parse(stdout) ?? noAnswer(stderr)));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(payload) + "\\n");
  });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noAnswer(stderr) {
  const why = stderr.trim().split("\\n").at(-1);
  return { systemMessage: "agent-gauntlet: the stop was not checked, its hook gave no answer: " + why };
}
`;
