import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import type { ModelRequest, ScriptedTurn } from "../rig/fake-anthropic-api.ts";
import { finding, reviewProject } from "../rig/fake-reviewers.ts";
import { GAUNTLET_LINE } from "../rig/program.ts";

const claude = await installClaudeCode();
const SHEET = "gauntlet_logs/review_._careful.slot-1.json";

test("Claude Code is blocked by another Claude Code's finding, fixes it, answers, and may stop after the fix is confirmed", async ({
  skip,
}) => {
  if (!claude.ok) return skip(claude.reason);
  await using project = await reviewProject({
    ".gauntlet/config.yml":
      "base_branch: main\nstop_hook:\n  when_active: enforce\ncli:\n  default_preference: [claude]\n",
    ".claude/settings.json": JSON.stringify({
      hooks: {
        Stop: [{ hooks: [{ type: "command", command: `${GAUNTLET_LINE} stop-hook`, timeout: 60 }] }],
      },
    }),
  });
  await mkdir(project.bin);
  await symlink(claude.bin, join(project.bin, "claude"));
  const reviews: ModelRequest[] = [];
  const agent = agentTurns(project.root);

  const run = await runClaudeCode({
    bin: claude.bin,
    project: project.root,
    turns: [],
    model: {
      fallback: (request) => {
        if (hasTool(request, "Write")) return agent.next().value ?? "Done.";
        reviews.push(request);
        return reviewerSays(request);
      },
    },
    env: project.env(),
    home: project.home,
  });

  const told = wholeText(run.requests.findLast((request) => hasTool(request, "Write")));
  expect(told).toContain("Stop hook feedback");
  expect(told).toContain("src/sum.js:3 high The mean of an empty list is NaN.");
  expect(told).toContain(SHEET);
  expect(reviews).toHaveLength(2);
  expect(wholeText(reviews[1])).toContain("an empty list gives 0 now");
  expect(run.result).toBe("Fixed and answered.");
  expect(JSON.parse(project.read(SHEET))).toMatchObject({ round: 2, findings: [{ status: "fixed" }] });
  expect(await run.survivors()).toEqual([]);
});

/** What the agent does: stops, is blocked, fixes the code, answers on the sheet, stops again. */
function* agentTurns(root: string): Generator<Exclude<ScriptedTurn, (request: ModelRequest) => unknown>> {
  yield "All done.";
  const content = "export const mean = (list) => (list.length === 0 ? 0 : 1);\n";
  yield { toolUse: { name: "Write", input: { file_path: join(root, "src/sum.js"), content } } };
  const script = `const fs=require("fs");const s=JSON.parse(fs.readFileSync("${SHEET}"));for(const f of s.findings){f.status="fixed";f.result="an empty list gives 0 now"}fs.writeFileSync("${SHEET}",JSON.stringify(s))`;
  const command = `${process.execPath} -e '${script}'`;
  yield { toolUse: { name: "Bash", input: { command, description: "answer the finding" } } };
  yield "Fixed and answered.";
}

/** What the reviewer says: one finding, and in the second round that it is fixed. */
function reviewerSays(request: ModelRequest): string {
  const id = /## Findings to check[\s\S]*?"id":"(f-[0-9a-f]+)"/.exec(wholeText(request))?.[1];
  if (id === undefined) return JSON.stringify({ findings: [finding()] });
  return JSON.stringify({ findings: [], verified: [{ id, fixed: true, note: "guarded" }] });
}

function wholeText(request: ModelRequest | undefined): string {
  return request?.messages.map(({ text }) => text).join("\n") ?? "";
}

function hasTool({ body }: ModelRequest, name: string): boolean {
  return body.tools?.some((tool) => tool.name === name) === true;
}
