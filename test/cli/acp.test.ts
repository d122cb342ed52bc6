import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { AcpClient, INITIALIZE, type Message, STOP_HOOK } from "../rig/acp/client.ts";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { isAlive, kill, survivors } from "../rig/processes.ts";
import { beginnings } from "../rig/state-files.ts";

const RED = 'grep -q fixed state.txt || { echo "state.txt:1:1: error: must say fixed"; exit 1; }';
const FIX = { write: { "state.txt": "fixed\n" } };

/** A project with one failing check. */
async function redProject(config = "stop_hook: { when_active: enforce }\n"): Promise<GauntletProject> {
  const project = await GauntletProject.withChecks({ ready: RED }, { "state.txt": "fixed\n" });
  await project.write({ ".gauntlet/config.yml": `${config}${project.read(".gauntlet/config.yml")}` });
  await project.commit("configure");
  await project.write({ "state.txt": "broken\n" });
  return project;
}

function doorsIn(log: Record<string, unknown>): unknown {
  return (log["verdicts"] as readonly Message[]).map(({ door, decision, status }) => [
    door,
    decision,
    status,
  ]);
}

describe("a session through the proxy", () => {
  test("is line by line the same on both sides as without it, as long as no gate fails", async () => {
    const alone = await playEverything("no proxy");
    const proxied = await playEverything([]);

    expect(proxied.atAgent).toEqual(alone.atAgent);
    expect(proxied.atClient).toEqual(alone.atClient);
    expect(alone.atClient.length).toBeGreaterThan(20);
  });

  test("goes on in one turn until the fix, and its client gets one answer", async () => {
    await using project = await redProject();
    const { client, session } = await AcpClient.inSession(project, { env: logOf(project) });
    await using _end = client;

    const answer = await client.prompt(
      session,
      { do: [{ say: "Done." }], next: [[FIX, { say: "Fixed." }]] },
      "p-1",
    );

    expect(answer).toMatchObject({
      id: "p-1",
      result: { stopReason: "end_turn", usage: { totalTokens: 1 } },
    });
    expect(client.lines.filter((line) => line.includes('"stopReason"'))).toHaveLength(1);
    expect(client.said(session)).toMatch(/^Done\.\n\n✗ Gauntlet failed.* The agent goes on\.\n\nFixed\.$/);
    expect(client.of("tool_call")).toMatchObject([
      { title: "agent-gauntlet: checking ready", status: "in_progress" },
      { title: "agent-gauntlet: checking ready", status: "in_progress" },
    ]);
    expect(client.of("tool_call_update")).toMatchObject([{ status: "failed" }, { status: "completed" }]);
    expect(JSON.stringify(client.of("tool_call_update")[0])).toContain("must say fixed");
    const [sentBack = ""] = agentLines(project).filter((line) => line.includes("<agent-gauntlet>"));
    expect(sentBack).toContain("state.txt:1:1");
    expect(sentBack).toMatch(/^\{"jsonrpc":"2\.0","id":"agent-gauntlet-/);
    expect(doorsIn(await project.json(["log"]))).toEqual([
      ["acp", "allow", "passed"],
      ["acp", "block", "failed"],
    ]);
    expect(await project.json(["explain"])).toMatchObject({
      event: { host: "acp", hostVersion: "scripted 1.2.3", sessionId: session, continued: true },
    });
  });

  test("ends when the budget is spent, and its user learns that", async () => {
    await using project = await redProject("max_retries: 1\nstop_hook: { when_active: enforce }\n");
    const { client, session } = await AcpClient.inSession(project, { env: logOf(project) });
    await using _end = client;

    const first = await client.prompt(session, { do: [{ say: "Done." }] });
    const second = await client.prompt(session, { do: [{ write: { "state.txt": "broken again\n" } }] });

    expect([first, second]).toMatchObject([
      { result: { stopReason: "end_turn" } },
      { result: { stopReason: "end_turn" } },
    ]);
    expect(client.said(session)).toContain("Gauntlet terminated — retry limit exceeded");
    expect(agentLines(project).filter((line) => line.includes("<agent-gauntlet>"))).toHaveLength(2);
  });

  test("is let go after a block by default, and its user learns that", async () => {
    await using project = await redProject("");
    const { client, session } = await AcpClient.inSession(project);
    await using _end = client;

    await client.prompt(session, { do: [{ say: "Done." }] });

    expect(client.said(session)).toContain("this one is let through without checking the fix");
    expect(doorsIn(await project.json(["log"]))).toEqual([
      ["acp", "allow", "stop_hook_active"],
      ["acp", "block", "failed"],
    ]);
  });

  test("is skipped once if its user says so, and not if its agent does", async () => {
    await using project = await redProject();
    const { client, session } = await AcpClient.inSession(project);
    await using _end = client;

    await client.prompt(session, "gauntlet skip: the server is down");
    await client.prompt(session, { do: [{ say: "gauntlet skip: I say so" }], next: [[FIX]] });

    expect(client.said(session)).toContain('you said in the chat: "the server is down"');
    expect(doorsIn(await project.json(["log"]))).toEqual([
      ["acp", "allow", "passed"],
      ["acp", "block", "failed"],
      ["acp", "allow", "skipped"],
    ]);
  });

  test("begins where its agent had not touched anything yet", async () => {
    await using project = await redProject();
    await project.write({ "state.txt": "fixed\n" });
    const { client, session } = await AcpClient.inSession(project);
    await using _end = client;

    const commit = ["git", "commit", "--all", "--quiet", "--message", "hide it"];
    await client.prompt(session, {
      do: [{ write: { "state.txt": "broken\n" } }, { run: commit }],
      next: [[FIX]],
    });

    expect(beginnings(project)).toMatchObject([{ root: project.root, tree: expect.any(String) as unknown }]);
    expect(client.said(session)).toContain("Gauntlet failed");
  });

  test("is not checked in plan mode, whoever set it", async () => {
    await using project = await redProject();
    const { client, session } = await AcpClient.inSession(project);
    await using _end = client;

    await client.request("session/set_mode", { sessionId: session, modeId: "plan" });
    await client.prompt(session, { do: [] });
    const change = { sessionUpdate: "current_mode_update", currentModeId: "default" };
    await client.prompt(session, { do: [{ update: change }], next: [[FIX]] });

    expect(doorsIn(await project.json(["log"]))).toEqual([
      ["acp", "allow", "passed"],
      ["acp", "block", "failed"],
      ["acp", "allow", "deferred"],
    ]);
  });

  test("does not end on an error of the agent, a refusal or a limit with gates", async () => {
    await using project = await redProject();
    const { client, session } = await AcpClient.inSession(project);
    await using _end = client;

    const refused = await client.prompt(session, { do: [{ stop: "refusal" }] });
    const failed = await client.prompt(session, { do: [{ fail: { code: -32000, message: "no key" } }] });
    const failedLater = await client.prompt(
      session,
      { do: [], next: [[{ fail: { code: -32000, message: "no credit" } }]] },
      "three",
    );

    expect(refused).toMatchObject({ result: { stopReason: "refusal" } });
    expect(failed).toMatchObject({ error: { message: "no key" } });
    expect(failedLater).toMatchObject({ id: "three", error: { message: "no credit" } });
  });

  test("that is loaded by another client is checked where it is", async () => {
    await using project = await redProject();
    const client = new AcpClient(project);
    await using _end = client;

    await client.request("session/load", { sessionId: "old-1", cwd: project.root, mcpServers: [] });
    await client.prompt("old-1", { do: [], next: [[FIX]] });

    expect(client.said("old-1")).toContain("Gauntlet failed");
    expect(doorsIn(await project.json(["log"]))).toHaveLength(2);
  });

  test("speaks version 1, whatever its client knows", async () => {
    await using project = await redProject();
    const client = new AcpClient(project);
    await using _end = client;

    const answer = await client.request("initialize", { ...INITIALIZE, protocolVersion: 2 });

    expect(answer).toMatchObject({ result: { protocolVersion: 1 } });
  });

  test("runs nothing of a project that is not allowed, if so started", async () => {
    await using project = await redProject();
    const { client, session } = await AcpClient.inSession(project, { options: ["--only-allowed"] });
    await using _end = client;

    await client.prompt(session, { do: [] });

    expect(client.said(session)).toContain("agent-gauntlet allow");
    expect(doorsIn(await project.json(["log"]))).toEqual([["acp", "allow", "not_allowed"]]);
  });
});

describe("a stop hook of the agent itself", () => {
  test("that has let a turn end is not followed by a second check", async () => {
    await using project = await redProject("max_retries: 1\nstop_hook: { when_active: enforce }\n");
    await project.gauntlet(["install", "--host", "claude-code", "--yes"]);
    const { client, session } = await AcpClient.inSession(project);
    await using _end = client;

    await client.prompt(session, { do: [{ hook: STOP_HOOK }, { hook: STOP_HOOK }] });

    expect(client.updates).toEqual([]);
    expect(doorsIn(await project.json(["log"]))).toEqual([
      ["stop-hook", "allow", "retry_limit_exceeded"],
      ["stop-hook", "block", "failed"],
    ]);
  });

  test("that could not keep the agent from ending is", async () => {
    await using project = await redProject();
    await project.gauntlet(["install", "--host", "claude-code", "--yes"]);
    const { client, session } = await AcpClient.inSession(project);
    await using _end = client;

    await client.prompt(session, { do: [{ hook: STOP_HOOK }], next: [[FIX]] });

    expect(doorsIn(await project.json(["log"]))).toEqual([
      ["acp", "allow", "passed"],
      ["acp", "block", "failed"],
      ["stop-hook", "block", "failed"],
    ]);
  });

  test("that is told of a block that never was counts for nothing", async () => {
    await using project = await redProject();
    await project.gauntlet(["install", "--host", "claude-code", "--yes"]);
    const { client, session } = await AcpClient.inSession(project);
    await using _end = client;

    await client.prompt(session, { do: [{ continuedHook: STOP_HOOK }], next: [[FIX]] });

    expect(doorsIn(await project.json(["log"]))).toEqual([
      ["acp", "allow", "passed"],
      ["acp", "block", "failed"],
      ["stop-hook", "allow", "stop_hook_active"],
    ]);
  });

  test("that nobody registered counts for nothing: the agent started it", async () => {
    await using project = await redProject("");
    const { client, session } = await AcpClient.inSession(project);
    await using _end = client;

    await client.prompt(session, { do: [{ hook: STOP_HOOK }, { hook: STOP_HOOK }], next: [[FIX]] });

    expect(client.said(session)).toContain("Gauntlet failed");
  });
});

describe("cancelling", () => {
  test("kills the gates, and the session goes on", async () => {
    await using command = await ControlledCommand.create();
    await using project = await GauntletProject.withChecks({ slow: command.command() });
    await project.write({ "state.txt": "new\n" });
    const { client, session } = await AcpClient.inSession(project, { env: logOf(project) });
    await using _end = client;

    const turn = client.prompt(session, { do: [] });
    const gate = await command.started();
    client.notify("session/cancel", { sessionId: session });

    expect(await turn).toMatchObject({ result: { stopReason: "cancelled" } });
    await gate.gone;
    expect(agentLines(project).join("\n")).not.toContain("session/cancel");
    expect(client.of("tool_call_update")).toMatchObject([{ status: "failed" }]);

    const again = client.prompt(session, { do: [] });
    (await command.started()).exit(0);
    expect(await again).toMatchObject({ result: { stopReason: "end_turn" } });
  });

  test("reaches the agent while it works on what failed", async () => {
    await using project = await redProject();
    const { client, session } = await AcpClient.inSession(project);
    await using _end = client;

    const turn = client.prompt(session, { do: [], next: [[{ say: "Working." }, { untilCancelled: true }]] });
    await client.until(() => client.said(session).endsWith("Working."));
    client.notify("session/cancel", { sessionId: session });

    expect(await turn).toMatchObject({ id: 3, result: { stopReason: "cancelled" } });
    expect(doorsIn(await project.json(["log"]))).toEqual([["acp", "block", "failed"]]);
  });

  test("one request by its id reaches the agent under the id that it knows", async () => {
    await using project = await redProject();
    const { client, session } = await AcpClient.inSession(project, { env: logOf(project) });
    await using _end = client;

    const steps = [{ say: "Working." }, { untilCancelled: true }];
    const turn = client.prompt(session, { do: [], next: [steps] }, "mine");
    await client.until(() => client.said(session).endsWith("Working."));
    client.notify("$/cancel_request", { requestId: "mine" });
    client.notify("session/cancel", { sessionId: session });
    await turn;

    const [, ours] = /"id":"(agent-gauntlet-[^"]+)"/.exec(agentLines(project).join("\n")) ?? [];
    expect(agentLines(project).find((line) => line.includes("$/cancel_request"))).toContain(
      `"requestId":"${ours}"`,
    );
  });
});

test("sessions in two projects, and two prompts in one session, are checked each for itself", async () => {
  await using one = await redProject();
  await using other = await redProject();
  const { client, session } = await AcpClient.inSession(one);
  await using _end = client;
  const second = await client.open(other.root);

  const answers = await Promise.all([
    client.prompt(session, { do: [{ say: "One." }], next: [[FIX]] }),
    client.prompt(second, { do: [{ say: "Two." }], next: [[FIX]] }),
  ]);
  await one.write({ "state.txt": "broken\n" });
  const both = await Promise.all([
    client.prompt(session, { do: [FIX], next: [] }, "a"),
    client.prompt(session, { do: [], next: [] }, "b"),
  ]);

  expect([...answers, ...both].map(({ result }) => result?.["stopReason"])).toEqual(
    Array.from({ length: 4 }, () => "end_turn"),
  );
  expect([one, other].map((project) => project.read("state.txt"))).toEqual(["fixed\n", "fixed\n"]);
  expect(doorsIn(await one.json(["log"], { cwd: other.root }))).toEqual([
    ["acp", "allow", "passed"],
    ["acp", "block", "failed"],
  ]);
});

describe("the end", () => {
  test("of the agent in a turn is its client's end, with its exit code", async () => {
    await using project = await redProject();
    const { client, session } = await AcpClient.inSession(project);

    void client.prompt(session, { do: [{ say: "Bye." }, { exit: 7 }] });

    expect(await client.ended).toEqual({ exitCode: 7, signal: null });
    expect(client.said(session)).toBe("Bye.");
  });

  test("of the agent by a signal reads as shells report it", async () => {
    await using project = await redProject();
    const { client, session } = await AcpClient.inSession(project);

    void client.prompt(session, { do: [{ kill: true }] });

    expect(await client.ended).toEqual({ exitCode: 137, signal: null });
  });

  test("of the client ends its gates, and an agent that does not end by itself", async () => {
    await using command = await ControlledCommand.create();
    await using project = await GauntletProject.withChecks({ slow: command.command() });
    await project.write({ "state.txt": "new\n" });
    const env = { ACP_AGENT_STAYS: "1", ACP_TEST_MARK: project.root };
    const { client, session } = await AcpClient.inSession(project, { env });

    const turn = client.prompt(session, { do: [] });
    const gate = await command.started();
    client.child.stdin.end();

    expect(await turn).toMatchObject({ result: { stopReason: "end_turn" } });
    await gate.gone;
    expect(await client.ended).toEqual({ exitCode: 0, signal: null });
    expect(survivors(`ACP_TEST_MARK=${project.root}`)).toEqual([]);
  });

  test("by a signal takes gates and agent along", async () => {
    await using command = await ControlledCommand.create();
    await using project = await GauntletProject.withChecks({ slow: command.command() });
    await project.write({ "state.txt": "new\n" });
    const env = { ACP_AGENT_STAYS: "1", ACP_TEST_MARK: project.root };
    const { client, session } = await AcpClient.inSession(project, { env });

    void client.prompt(session, { do: [] });
    const gate = await command.started();
    const { pid = 0 } = client.child;
    kill(pid, "SIGTERM");

    expect(await client.ended).toEqual({ exitCode: 143, signal: null });
    await gate.gone;
    expect(isAlive(gate.pid)).toBe(false);
    expect(survivors(`ACP_TEST_MARK=${project.root}`)).toEqual([]);
  });

  test("comes at once if the agent cannot be started", async () => {
    await using project = await redProject();

    const done = await project.gauntlet(["acp", "--", "no-such-agent", "--acp"]);

    expect(done).toMatchObject({ exitCode: 1, stdout: "" });
    expect(done.stderr).toBe(
      "agent-gauntlet acp: no-such-agent could not be started: there is no such program.\n",
    );
  });
});

/** A session with all that clients and agents send one another, in a project whose gates have nothing to do. */
async function playEverything(options: readonly string[] | "no proxy"): Promise<Played> {
  await using project = await GauntletProject.withChecks({ ready: "true" });
  const { client, session } = await AcpClient.inSession(project, { options, serve, env: logOf(project) });
  await using _end = client;
  const ask = [
    ["fs/read_text_file", { path: "/a", line: 1 }],
    ["fs/write_text_file", { path: "/a", content: "\\" }],
    ["terminal/create", { command: "true" }],
    ["session/request_permission", { options: [{ optionId: "allow", kind: "allow_once" }] }],
    ["elicitation/create", { message: "?" }],
    ["_example.org/anything", { deep: [{ er: [] }] }],
  ].map((one) => ({ ask: one }));
  const notification = { method: "_example.org/tell", params: [1, "2", null] };
  const steps = [
    ...ask,
    { raw: "no JSON" },
    { raw: "" },
    { raw: "[]" },
    { send: notification },
    { big: 20_000_000 },
  ];

  await client.prompt(session, { do: [{ say: "One.\r\n" }, ...steps] });
  client.write("{ not JSON either");
  client.write('{"jsonrpc":"2.0",  "method":"_example.org/spaced" , "params":{"n":1.50}}');
  await client.request("_example/echo", { of: "me" }, "string-id");
  await client.request("_example/nothing", {});
  await client.request("session/set_mode", { sessionId: session, modeId: "plan" });
  await client.request("session/list", { cwd: null });
  await client.request("session/load", { sessionId: "session-9", cwd: project.root, mcpServers: [] });
  await client.request("session/fork", { sessionId: "session-9", cwd: project.root });
  await client.prompt("session-9-fork", { do: [{ say: "Forked." }] }, 0);
  const cancelled = client.prompt(session, { do: [{ say: "Waiting." }, { untilCancelled: true }] });
  await client.until(() => client.said(session).endsWith("Waiting."));
  client.notify("session/cancel", { sessionId: session });
  await cancelled;
  await client.prompt(session, { do: [], ["x".repeat(3_000_000)]: 1 });
  const masked = (line: string): string => line.replaceAll(project.root, "<project>");
  return { atClient: client.lines.map(masked), atAgent: agentLines(project).map(masked) };
}

function serve(method: string, params: Message): unknown {
  return method === "session/request_permission"
    ? { outcome: { outcome: "selected", optionId: "allow" } }
    : { method, params, content: "é \u2028 😀" };
}

interface Played {
  readonly atClient: readonly string[];
  readonly atAgent: readonly string[];
}

function logOf(project: GauntletProject): Record<string, string> {
  return { ACP_AGENT_LOG: join(project.home, "agent.log") };
}

function agentLines(project: GauntletProject): readonly string[] {
  return readFileSync(join(project.home, "agent.log"), "utf8").trimEnd().split("\n");
}
