export { acceptCommand, allowCommand, denyCommand } from "./allow-command.ts";
export { skipCommand } from "./skip-command.ts";
