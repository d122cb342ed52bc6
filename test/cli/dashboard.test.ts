import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { openDashboard } from "../rig/dashboard.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** `fetch` would not let a test choose the host. */
function ask(url: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { headers, method }, (response) => {
      let text = "";
      const done = (): void => resolve({ status: response.statusCode, headers: response.headers, text });
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (text.startsWith("event: ") && text.endsWith("\n\n")) response.destroy();
      });
      response.once("close", done);
    })
      .once("error", reject)
      .end();
  });
}

test("the dashboard lets in who has its address, only from this machine's own page, and only to read", async () => {
  await using project = await GauntletProject.withChecks({ build: "echo 'a.txt:1:1: error: bad'; exit 1" });
  await project.write({ "a.txt": "" });
  await project.stop({ session_id: "s-1" });
  await using dashboard = await openDashboard(project);
  const { origin, host } = new URL(dashboard.url);

  const first = await ask(dashboard.url);
  const cookie = String(first.headers["set-cookie"]).split(";")[0] ?? "";
  expect([first.status, first.headers["location"], first.headers["referrer-policy"]]).toEqual([
    303,
    "/",
    "no-referrer",
  ]);
  expect(String(first.headers["set-cookie"])).toContain("HttpOnly; SameSite=Strict");

  const page = await ask(`${origin}/`, { cookie });
  expect(page.status).toBe(200);
  expect(page.headers["content-security-policy"]).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  const { text } = await ask(`${origin}/api/events`, { cookie });
  const state = JSON.parse(text.slice(text.indexOf("data: ") + 6)) as {
    rows: { project: string; at: number }[];
  };
  expect(state).toMatchObject({
    projects: [{ name: "project", root: project.root }],
    rows: [{ status: "failed", decision: "block", session: "s-1" }],
    running: [],
  });
  const [row] = state.rows;
  const run = await ask(`${origin}/api/run/${row?.project}/${row?.at}`, { cookie });
  expect(JSON.parse(run.text)).toMatchObject({ run: 1, files: [{ file: "a.txt" }] });

  const token = dashboard.url.slice(dashboard.url.indexOf("?"));
  const refusals = await Promise.all([
    ask(`${origin}/`),
    ask(`${origin}/?token=wrong`),
    ask(`${origin}/`, { cookie: `${cookie}x` }),
    ask(`${origin}/`, { cookie, host: "evil.example" }),
    ask(`${origin}/${token}`, { host: `localhost.evil.example:${new URL(origin).port}` }),
    ask(`${origin}/api/events`, { cookie, origin: "https://evil.example" }),
    ask(`${origin}/api/events`, { cookie, "sec-fetch-site": "cross-site" }),
    ask(`${origin}/`, { cookie, host, "sec-fetch-site": "same-site" }),
  ]);
  expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 403));
  expect((await ask(`${origin}/`, { cookie }, "POST")).status).toBe(405);
  const strange = [
    "/../../etc/passwd",
    "/api/run/../../x/1",
    "/api/run/outside/1",
    "/api/run/%00/1",
    "/favicon.ico",
  ];
  const missing = await Promise.all(strange.map((path) => ask(`${origin}${path}`, { cookie })));
  expect(missing.map(({ status }) => status)).toEqual(strange.map(() => 404));
  expect(await dashboard.end()).toBe(0);
});

describe("what it does not do", () => {
  test("a port that is taken is reported, and so is an invalid one", async () => {
    await using project = await GauntletProject.withChecks({ build: "true" });
    await using dashboard = await openDashboard(project);
    const { port } = new URL(dashboard.url);

    const taken = await project.gauntlet(["dashboard", "--port", port]);
    const wrong = await project.gauntlet(["dashboard", "--port", "http"]);

    expect([taken.exitCode, taken.stderr]).toEqual([
      1,
      `Cannot listen on 127.0.0.1:${port}: the port is in use\n`,
    ]);
    expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining("from 1 to 65535")]);
  });
});
