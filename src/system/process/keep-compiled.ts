/** Has Node keep compiled code from one start to the next; since 22.1 it can. To ask an older one would take half a millisecond. */
export function keepCompiled(): void {
  if (Number.parseInt(process.versions.node, 10) < 22) return;
  const module = process.getBuiltinModule("node:module") as { readonly enableCompileCache?: () => void };
  module.enableCompileCache?.();
}
