export { attestCommand, describeWorkTree, verifyCommand } from "./attest-command.ts";
export { ciCommand } from "./ci-command.ts";
