export { demoCommand } from "./commands/demo.ts";
export { doctorCommand } from "./commands/doctor.ts";
export { installCommand } from "./commands/install.ts";
export { simulateCommand } from "./commands/simulate.ts";
export { uninstallCommand } from "./commands/uninstall.ts";
export { healthCommand } from "./commands/health.ts";
