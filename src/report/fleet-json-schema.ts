import * as z from "zod";

const format = z.literal(1).describe("Raised when a field changes its meaning or goes.");

/** `keys --json`. */
export const keysSchema = z
  .strictObject({
    format,
    command: z.literal("keys").describe("The command that printed this."),
    id: z.string().describe("The id of the key, as records name it."),
    source: z.string().describe("Where the private half is: a file, or a variable of the environment."),
    publicKey: z.string().describe("The public half, in PEM form."),
    trustedBy: z
      .string()
      .nullable()
      .describe("The file by which this project trusts it; null if it does not."),
  })
  .describe("`keys`: the key that signs passes for other machines.");
