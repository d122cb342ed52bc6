import { describe, expect, test } from "vitest";

import { type AcpClient, INITIALIZE } from "../rig/acp/client.ts";
import { REAL_AGENTS, startRealAgent } from "../rig/acp/real-agents.ts";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { gatedProject } from "../rig/hosts/gated-project.ts";

const FEEDBACK = "Gauntlet gates did not pass";

interface Verdict {
  readonly door: string;
  readonly decision: string;
}

describe.each(REAL_AGENTS)("the real $client.release.package $client.release.version over ACP", (agent) => {
  test("goes on in each of two sessions at once until the gates pass, and each gets one answer", async ({
    skip,
  }) => {
    await using project = await gatedProject();
    const both = agent.mixesSessions ? [project] : [project, await besides(project)];
    await using running = await startRealAgent(agent, project, {
      answer: async (body) => {
        if (!body.includes(FEEDBACK)) return "All done.";
        const asked = both.find((_, index) => body.includes(`TASK-${index}`));
        // An agent asks more than once (for a title, for the next speaker): a second write would fall into the run of the gates.
        if (asked?.read("state.txt") !== "fixed\n") await asked?.write({ "state.txt": "fixed\n" });
        return "Fixed.";
      },
      skip,
    });
    if (running === undefined) return;
    const { client } = running;
    const sessions = await openSessions(client, both);

    const answers = await Promise.all(
      sessions.map((session, index) => client.prompt(session, `Do TASK-${index}.`)),
    );

    expect(answers).toMatchObject(both.map(() => ({ result: { stopReason: "end_turn" } })));
    expect(both.map((one) => one.read("state.txt"))).toEqual(both.map(() => "fixed\n"));
    for (const session of sessions)
      expect(client.said(session)).toMatch(/All done\.[^]*Gauntlet failed[^]*Fixed\./);
    for (const { root } of both) {
      const { verdicts } = (await project.json(["log"], { cwd: root })) as { verdicts: readonly Verdict[] };
      const [last, ...before] = verdicts;
      expect(last).toMatchObject({ door: "acp", status: "passed" });
      expect(before.length).toBeGreaterThan(0);
      expect(new Set(before.map(({ door, decision }) => `${door} ${decision}`))).toEqual(
        new Set(["acp block"]),
      );
    }
  });

  test("is cancelled while its gates run, and takes the next prompt", async ({ skip }) => {
    await using command = await ControlledCommand.create();
    await using project = await GauntletProject.withChecks({ slow: command.command() });
    await project.write({ "state.txt": "new\n" });
    await using running = await startRealAgent(agent, project, { answer: () => "All done.", skip });
    if (running === undefined) return;
    const { client } = running;
    const [session = ""] = await openSessions(client, [project]);

    const turn = client.prompt(session, "Do the task.");
    const gate = await command.started();
    client.notify("session/cancel", { sessionId: session });

    expect(await turn).toMatchObject({ result: { stopReason: "cancelled" } });
    await gate.gone;

    const next = client.prompt(session, "And now?");
    (await command.started()).exit(0);
    expect(await next).toMatchObject({ result: { stopReason: "end_turn" } });
  });
});

describe.each(REAL_AGENTS.filter(({ hasHook }) => hasHook))(
  "the real $client.release.package $client.release.version over ACP, with its own stop hook,",
  (agent) => {
    test("is not checked twice", async ({ skip }) => {
      await using project = await gatedProject();
      const env = { PATH: `${project.home}/bin:${project.env()["PATH"]}` };
      await project.gauntlet(["install", "--host", agent.client.host, "--yes"], { env });
      await using running = await startRealAgent(agent, project, {
        answer: async (body) => {
          if (!body.includes(FEEDBACK)) return "All done.";
          await project.write({ "state.txt": "fixed\n" });
          return "Fixed.";
        },
        skip,
      });
      if (running === undefined) return;
      const { client } = running;
      const [session = ""] = await openSessions(client, [project]);

      const answer = await client.prompt(session, "Do the task.");

      expect(answer).toMatchObject({ result: { stopReason: "end_turn" } });
      const { verdicts } = await project.json(["log"]);
      expect(verdicts).toMatchObject([
        { door: "stop-hook", status: "passed" },
        { door: "stop-hook", decision: "block" },
      ]);
      expect(verdicts).toHaveLength(2);
    });
  },
);

/** Another project of the same user. */
async function besides(project: GauntletProject): Promise<GauntletProject> {
  const other = project.at("../other");
  await other.write({ ".gauntlet/config.yml": project.read(".gauntlet/config.yml"), "state.txt": "new\n" });
  await other.git("init", "--quiet", "--initial-branch=main");
  await other.commit("start");
  await other.write({ "state.txt": "broken\n" });
  return other;
}

async function openSessions(
  client: AcpClient,
  projects: readonly GauntletProject[],
): Promise<readonly string[]> {
  const { result } = await client.request("initialize", INITIALIZE);
  const methods = (result?.["authMethods"] ?? []) as readonly { readonly id: string }[];
  const sessions: string[] = [];
  for (const { root } of projects)
    sessions.push(
      await client.open(root).catch(async (error: unknown) => {
        if (methods[0] === undefined) throw error;
        await client.request("authenticate", { methodId: methods[0].id });
        return client.open(root);
      }),
    );
  return sessions;
}
