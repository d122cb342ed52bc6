/** What a command does is loaded when it is asked for, a family at a time. */
export const families = {
  run: () => import("./commands/run.ts"),
  look: () => import("./commands/look.ts"),
  install: () => import("../install/commands.ts"),
  baseline: () => import("../features/baseline/command.ts"),
  dashboard: () => import("../features/dashboard/command.ts"),
  mcp: () => import("../features/mcp/command.ts"),
  proof: () => import("../features/proof/commands.ts"),
  remote: () => import("../features/remote/commands.ts"),
  trust: () => import("../features/trust/commands.ts"),
};
