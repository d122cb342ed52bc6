/** The end of every plugin: runs the hook's command with a payload on stdin and resolves to its answer. Never rejects. */
export const ASK_HOOK = `
function ask(payload, signal, command = COMMAND) {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: payload.cwd, shell: true, detached: process.platform !== "win32" });
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

// Remembers where a session begins, before its agent does anything.
async function begin(id, cwd) {
  if (!id || begun.has(id)) return;
  begun.add(id);
  await ask({ client: HOST, hook_event_name: "SessionStart", session_id: id, cwd }, undefined, START);
}

const START = COMMAND.replace(" stop-hook", " session-start");
const begun = new Set();

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
