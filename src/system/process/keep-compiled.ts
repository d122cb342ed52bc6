/** Keeps compiled code between starts; Node can since 22.1. Asking an older one costs 0.5 ms. */
export function keepCompiled(): void {
  if (Number.parseInt(process.versions.node, 10) < 22) return;
  const module = process.getBuiltinModule("node:module") as { readonly enableCompileCache?: () => void };
  module.enableCompileCache?.();
}
