/** The commands that run no gate, loaded together. */
export { answerInChat } from "../hooks/answer-in-chat.ts";
export { cleanCommand } from "./clean.ts";
export { completionCommand } from "./completion.ts";
export { configCommand, listCommand, validateCommand } from "./configuration.ts";
export { explainCommand } from "./explain.ts";
export { logCommand } from "./log.ts";
export { parseCommand } from "./parse.ts";
export { reportCommand } from "./report.ts";
export { statusCommand } from "./status.ts";
