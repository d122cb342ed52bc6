import { readIfFile } from "../files/files.ts";
import { runProcess } from "./run-process.ts";

/** Whether the user's machine is to use little power, where the system tells. */
export async function isSavingPower(): Promise<boolean> {
  if (process.platform === "linux")
    return readIfFile("/sys/firmware/acpi/platform_profile")?.trim() === "low-power";
  if (process.platform !== "darwin") return false;
  let told = "";
  const argv = ["pmset", "-g"] as const;
  await runProcess({ argv, cwd: "/", env: process.env, onOutput: (chunk) => (told += chunk.toString()) });
  return /^\s*lowpowermode\s+1$/m.test(told);
}
